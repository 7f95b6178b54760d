import { installDebianPackage } from "./debian-package.js";

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
  const reason = installDebianPackage("chromium", PATH);
  return reason === undefined ? { options: { executablePath: PATH, args: FLAGS } } : { reason };
}
