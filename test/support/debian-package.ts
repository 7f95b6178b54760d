import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";

/**
 * Installs a package of Debian unless its program is there. Returns the reason if that is not possible.
 *
 * @param program the absolute path of a program in the package
 */
export function installDebianPackage(name: string, program: string): string | undefined {
  if (existsSync(program)) return undefined;
  if (process.getuid?.() !== 0) return `there is no ${program}, and only root can install it`;
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const run = (...words: string[]) => void execFileSync("apt-get", words, { env, stdio: "pipe" });
  try {
    run("update", "-qq");
    run("install", "-y", "-qq", "--no-install-recommends", name);
    return existsSync(program) ? undefined : `the package ${name} holds no ${program}`;
  } catch (error) {
    return `apt-get cannot install ${name}: ${(error as Error).message.trim()}`;
  }
}
