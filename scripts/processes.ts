import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, openSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const tsx = pathToFileURL(createRequire(join(root, "package.json")).resolve("tsx")).href;

/** An app of Gantry's as a process of its own. */
export interface App {
  name: "api" | "worker";
  process: ChildProcess;
  pid: number;
  /** What it said when it was ready. */
  ready: unknown;
  /** Asks it to shut down and waits until it has. */
  stop(): Promise<void>;
}

/**
 * Starts an app and resolves when it is ready. Its log goes to `<logs>/<name>.log`; it ends when this process does.
 *
 * @param how `isBuilt`: as it was compiled and runs in production, instead of from its sources; `preloads`: modules that it
 * loads before its own
 * @throws an Error that names the log where the app ends instead
 */
export async function startApp(
  name: App["name"],
  env: Record<string, string>,
  logs: string,
  { isBuilt = false, preloads = [] }: { isBuilt?: boolean; preloads?: string[] } = {},
): Promise<App> {
  mkdirSync(logs, { recursive: true });
  const logFile = join(logs, `${name}.log`);
  const log = openSync(logFile, "a");
  const imports = (modules: string[]) => modules.flatMap((module) => ["--import", module]);
  const program = isBuilt
    ? [...imports(preloads), join(root, "apps", name, "dist", "main.js")]
    : ["--conditions=source", ...imports([tsx, ...preloads]), join(root, "apps", name, "src", "main.ts")];
  const child = spawn(process.execPath, program, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ["ignore", log, log, "ipc"],
  });
  const ended = once(child, "exit");
  const ready = await Promise.race([once(child, "message"), ended.then(() => undefined)]);
  if (!ready) throw new Error(`The ${name} did not start; ${logFile} says why.`);
  return {
    name,
    process: child,
    pid: child.pid as number,
    ready: ready[0],
    stop: async () => {
      if (child.exitCode === null && child.signalCode === null) child.kill("SIGTERM");
      await ended;
    },
  };
}
