// Prepares a clone: installs the packages that the lockfile names and generates the database client.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { runPnpm } from "./pnpm.mjs";

/**
 * Installs and generates what is missing or older than its sources.
 *
 * @throws an Error that names the step that failed
 */
export function prepare({ root, node, env }) {
  const sources = ["prisma", "prisma/models"]
    .flatMap((folder) => readdirSync(join(root, folder)).map((name) => `${folder}/${name}`))
    .filter((name) => name.endsWith(".prisma"));
  const nodeVersion = spawnSync(node, ["--version"], { encoding: "utf8" }).stdout;

  step("install", ["pnpm-lock.yaml", "package.json", "pnpm-workspace.yaml"], installPackages);
  step("generate", sources, generateClient);

  function installPackages() {
    const words = ["install", "--frozen-lockfile", "--config.confirmModulesPurge=false"];
    return runPnpm({ root, env, words, stdio: "inherit" }).status;
  }

  function generateClient() {
    const prisma = createRequire(join(root, "package.json")).resolve("prisma/build/index.js");
    const done = spawnSync(node, [prisma, "generate"], { cwd: root, env, encoding: "utf8" });
    if (done.status !== 0) process.stderr.write(`${done.stdout}${done.stderr}`);
    return done.status;
  }

  /** Runs `act` unless it succeeded before with the same contents of `files` and the same major version of Node. */
  function step(name, files, act) {
    const hash = createHash("sha256").update(nodeVersion.split(".")[0]);
    for (const file of files) hash.update(readFileSync(join(root, file)));
    const inputs = hash.digest("hex");
    const stamp = join(root, "node_modules", `.gantry-${name}`);
    if (existsSync(stamp) && readFileSync(stamp, "utf8") === inputs) return;
    const code = act();
    if (code !== 0) throw new Error(`The step "${name}" failed with exit code ${code}; its output is above.`);
    mkdirSync(dirname(stamp), { recursive: true });
    writeFileSync(stamp, inputs);
  }
}
