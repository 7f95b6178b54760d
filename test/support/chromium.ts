import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";

const PATH = "/usr/bin/chromium";

/** Flags for a browser in a container that calls no other host. */
const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Options by which Playwright starts Debian's Chromium, which is installed first; or the reason why there is none. */
export function findChromium(): { options: { executablePath: string; args: string[] } } | { reason: string } {
  const options = { executablePath: PATH, args: FLAGS };
  if (existsSync(PATH)) return { options };
  if (process.getuid?.() !== 0) return { reason: `there is no ${PATH}, and only root can install it` };
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const run = (...words: string[]) => void execFileSync("apt-get", words, { env, stdio: "pipe" });
  try {
    run("update", "-qq");
    run("install", "-y", "-qq", "--no-install-recommends", "chromium");
    return existsSync(PATH) ? { options } : { reason: `the package chromium holds no ${PATH}` };
  } catch (error) {
    return { reason: `apt-get cannot install chromium: ${(error as Error).message.trim()}` };
  }
}
