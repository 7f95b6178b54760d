// Prepares a clone: installs Node and the packages that the lockfile names, and generates the database client.
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { findNode, versionOfNode, withNodeFirst } from "./node.mjs";
import { runPnpm } from "./pnpm.mjs";

/** What to install: the packages that Gantry runs with, or also those that check and test it. */
const SCOPES = {
  // The lockfile belongs to the clone as the sources do. Each install for development verifies it.
  production: ["--prod", "--trust-lockfile"],
  development: [],
};

/** What the types of the client and the table of the commands are made from. */
const CLIENT_SOURCES = [
  "openapi.json",
  "packages/client/package.json",
  "packages/client/generate.mjs",
  "packages/client/operations.mjs",
  "apps/cli/generate.mjs",
  "apps/cli/global-flags.mjs",
];

/**
 * Installs and generates what is missing or older than its sources, and returns the path of the Node to use.
 *
 * @param scope "production" installs no package of development, but keeps them current if they are installed
 * @throws an Error with the output of the command that failed
 */
export async function prepare({ root, env, scope }) {
  const sources = ["prisma", "prisma/models"]
    .flatMap((folder) => readdirSync(join(root, folder)).map((name) => `${folder}/${name}`))
    .filter((name) => name.endsWith(".prisma"));
  const nodeVersion = versionOfNode();

  const [node] = await Promise.all([findNode({ folder: join(root, ".gantry"), env }), installPackages()]);
  await Promise.all([
    step("generate", "database client", sources, () => generateClient(node)),
    step("client", "API client and command", CLIENT_SOURCES, async () => {
      for (const folder of ["packages/client", "apps/cli"])
        await promisify(execFile)(node, [join(root, folder, "generate.mjs")], { cwd: root });
    }),
  ]);
  return node;

  async function installPackages() {
    const files = ["pnpm-lock.yaml", "pnpm-workspace.yaml", "package.json"];
    const wanted = existsSync(stampOf("development")) ? "development" : scope;
    await step(wanted, "packages", files, async () => {
      const options = [
        "--frozen-lockfile",
        "--config.confirmModulesPurge=false",
        `--config.nodeVersion=${nodeVersion}`,
      ];
      const { status, output } = await runPnpm({ root, env, words: ["install", ...options, ...SCOPES[wanted]] });
      if (status !== 0) throw new Error(`pnpm failed to install the packages.\n${output}`);
    });
  }

  function generateClient(node) {
    const prisma = createRequire(join(root, "package.json")).resolve("prisma/build/index.js");
    const options = { cwd: root, env: withNodeFirst(node, env) };
    return promisify(execFile)(node, [prisma, "generate"], options);
  }

  function stampOf(name) {
    return join(root, "node_modules", `.gantry-${name}`);
  }

  /** Runs `act` unless it succeeded before with the same contents of `files` and the same major version of Node. */
  async function step(name, what, files, act) {
    const hash = createHash("sha256").update(nodeVersion.split(".")[0]);
    for (const file of files) hash.update(readFileSync(join(root, file)));
    const inputs = hash.digest("hex");
    const stamp = stampOf(name);
    if (existsSync(stamp) && readFileSync(stamp, "utf8") === inputs) return;
    console.error(`Preparing this clone: ${what}`);
    await act();
    mkdirSync(dirname(stamp), { recursive: true });
    writeFileSync(stamp, inputs);
  }
}
