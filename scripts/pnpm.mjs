// Runs pnpm in the version that package.json names.
import { spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";

/** Runs pnpm with `words`, and returns its exit code (null after a signal) and its output. */
export async function runPnpm({ root, env, words }) {
  const { packageManager } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const found = spawnSync("pnpm", ["--version"], { cwd: root, env, encoding: "utf8", timeout: 10_000 });
  const matches = `pnpm@${found.stdout?.trim()}` === packageManager;
  const [command, ...before] = matches ? ["pnpm"] : ["npx", "--yes", "--loglevel=error", packageManager];
  const shell = process.platform === "win32";
  const child = spawn(command, [...before, ...words], { cwd: root, env, shell, stdio: ["ignore", "pipe", "pipe"] });
  const exited = new Promise((resolve, reject) => child.once("error", reject).once("close", resolve));
  const [status, stdout, stderr] = await Promise.all([exited, text(child.stdout), text(child.stderr)]);
  return { status, output: `${stdout}${stderr}` };
}
