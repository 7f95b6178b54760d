import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL("../../", import.meta.url));

/** Compiles the apps, as production runs them: without the loader of TypeScript, which takes time and memory of its own. */
export function build(root = here): void {
  const { status, stdout, stderr } = spawnSync("node_modules/.bin/tsc", ["-b", "tsconfig.build.json"], {
    cwd: root,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`the apps could not be compiled: ${stdout}${stderr}`);
}
