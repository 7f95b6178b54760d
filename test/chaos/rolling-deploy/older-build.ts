import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "../../load/build.js";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** The worker of an earlier commit, or the reason why there is none. */
export type OlderBuild = { worker: string; commit: string } | { missing: string };

/**
 * Checks out the commit before the newest migration, installs its dependencies and builds it. With the baseline as the
 * only migration, it is the commit that added it, since no build from before can use the schema.
 */
export function olderBuild(folder: string): OlderBuild {
  const migrations = readdirSync(join(root, "prisma/migrations")).filter((name) => /^\d/.test(name));
  const newest = `prisma/migrations/${migrations.sort().at(-1)}`;
  const isBaseline = migrations.length === 1;
  const added = run("git", ["log", "--diff-filter=A", "--format=%H", "-n", "1", "--", newest]);
  if (!added.isOk) return { missing: "the repository has no history" };
  // An uncommitted migration came after every commit.
  if (isBaseline && !added.output) return { missing: `${newest} is not committed yet` };
  const before = isBaseline ? added.output : `${added.output}^`;
  const commit = run("git", ["rev-parse", "--verify", "--quiet", added.output ? before : "HEAD"]);
  if (!commit.isOk) return { missing: `the history does not reach back to before ${newest}` };
  mkdirSync(folder, { recursive: true });
  const archive = join(folder, "build.tar");
  for (const [command, args, cwd] of [
    ["git", ["archive", "--output", archive, commit.output], root],
    ["tar", ["-xf", archive], folder],
    ["npm", ["run", "generate"], folder],
  ] as const) {
    const { isOk, output } = run(command, [...args], cwd);
    if (!isOk) return { missing: `${command} ${args[0]} failed: ${output}` };
  }
  build(folder);
  const worker = pathToFileURL(join(folder, "apps/worker/dist/main.js")).href;
  return { worker, commit: commit.output.slice(0, 7) };
}

function run(command: string, args: string[], cwd = root): { isOk: boolean; output: string } {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: "utf8" });
  const isOk = status === 0;
  return { isOk, output: (isOk ? stdout : stderr || error?.message || stdout || "").trim() };
}
