// Runs pnpm in the version that package.json names.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Runs pnpm with `words`, and returns the result of `spawnSync`. */
export function runPnpm({ root, env, words, ...options }) {
  const { packageManager } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const found = spawnSync("pnpm", ["--version"], { cwd: root, env, encoding: "utf8", timeout: 10_000 });
  const matches = `pnpm@${found.stdout?.trim()}` === packageManager;
  const [command, ...before] = matches ? ["pnpm"] : ["npx", "--yes", "--loglevel=error", packageManager];
  const shell = process.platform === "win32";
  return spawnSync(command, [...before, ...words], { cwd: root, env, shell, ...options });
}
