#!/usr/bin/env node
// Runs a script of package.json on a fresh clone with only Node and npm: finds a Node that is new enough, prepares the
// clone, starts the program. With `--prod`, it installs no tools of development; without a program, it only prepares.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { withNodeFirst } from "./node.mjs";
import { prepare } from "./setup.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const parent = process.ppid;
const npm = npmAbove(parent);
const words = process.argv.slice(2);
const scope = words[0] === "--prod" ? "production" : "development";
const program = scope === "production" ? words.slice(1) : words;

let env = { ...process.env, PRISMA_HIDE_UPDATE_MESSAGE: "1" };
// npm passes its own settings down; pnpm warns about those it does not know.
for (const name of Object.keys(env)) {
  if (/^npm_config_/i.test(name) && !/registry|proxy|cafile|cache$|userconfig$/i.test(name)) delete env[name];
}
env.PRISMA_SCHEMA_ENGINE_BINARY = join(root, "packages/schema-engine/bin/schema-engine.mjs");

try {
  const node = await prepare({ root, env, scope });
  if (node !== process.execPath) env = withNodeFirst(node, env);
  if (program.length > 0) {
    const watchdog = pathToFileURL(join(root, "scripts/end-with-parent.mjs")).href;
    const options = ["--import", watchdog, "--conditions=gantry-source", "--import", "tsx"];
    // A signal to only this process must end the program too, also one that comes while the program starts.
    for (const name of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(name, () => child.kill(name));
    const child = spawn(node, [...options, ...program], { cwd: root, env, stdio: "inherit" });
    // npm ends its shell on a signal, and the shell passes nothing on.
    const watch = setInterval(() => {
      if (!npm || (process.ppid === parent && isRunning(npm))) return;
      clearInterval(watch);
      child.kill("SIGTERM");
    }, 1000).unref();
    const [status, signal] = await once(child, "exit");
    if (signal) throw new Error(`${signal} ended ${program.join(" ")}.`);
    process.exitCode = status;
  }
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}

/** Returns the pid of the npm that started this process, by a shell or by itself; undefined without npm. */
function npmAbove(pid) {
  if (!process.env.npm_lifecycle_event) return undefined;
  const { stdout } = spawnSync("ps", ["-o", "ppid=,args=", "-p", String(pid)], { encoding: "utf8" });
  const [, above, command] = /^\s*(\d+) (.*)/.exec(stdout ?? "") ?? [];
  // A shell that replaced itself by its last command left npm as the parent.
  return command?.includes("scripts/run.mjs") ? Number(above) : pid;
}

function isRunning(pid) {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
