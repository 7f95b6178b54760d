import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const repository = fileURLToPath(new URL("../../", import.meta.url));

/** Compiles the apps for processes as in production: a TypeScript loader would add time and memory. */
export function build(root = repository): void {
  const { status, stdout, stderr } = spawnSync("node_modules/.bin/tsc", ["-b", "tsconfig.build.json"], {
    cwd: root,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`the apps could not be compiled: ${stdout}${stderr}`);
}

/** The programs that `bundle` makes. */
export const API = "apps/api/bundle/main.js";
export const WORKER = "apps/worker/bundle/main.js";

/** Bundles the apps as their images have them, to measure what operators run. */
export function bundle(): void {
  const script = fileURLToPath(new URL("../../scripts/bundle.mjs", import.meta.url));
  const { status, stderr } = spawnSync(process.execPath, [script], { cwd: repository, encoding: "utf8" });
  if (status !== 0) throw new Error(`the apps could not be bundled: ${stderr}`);
}
