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

export interface AppOptions {
  /** The compiled app, as production runs it, instead of its sources. */
  isBuilt?: boolean;
  /** Modules that the app loads before its own. */
  preloads?: string[];
  /** True where each change of a source that the app has loaded restarts the app. */
  isWatched?: boolean;
}

/**
 * Starts an app and resolves when it is ready. The app ends when this process does.
 *
 * @param logs the folder of `<name>.log`; the log goes to the terminal where it is undefined
 * @throws an Error that names the log where the app ends instead
 */
export async function startApp(
  name: App["name"],
  env: Record<string, string>,
  logs: string | undefined,
  { isBuilt = false, preloads = [], isWatched = false }: AppOptions = {},
): Promise<App> {
  if (logs) mkdirSync(logs, { recursive: true });
  const logFile = logs && join(logs, `${name}.log`);
  const log = logFile ? openSync(logFile, "a") : "inherit";
  const imports = (modules: string[]) => modules.flatMap((module) => ["--import", module]);
  const program = isBuilt
    ? [...imports(preloads), join(root, "apps", name, "dist", "main.js")]
    : ["--conditions=source", ...imports([tsx, ...preloads]), join(root, "apps", name, "src", "main.ts")];
  const watch = isWatched ? ["--watch", "--watch-preserve-output"] : [];
  const child = spawn(process.execPath, [...watch, ...program], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ["ignore", log, log, "ipc"],
  });
  const ended = once(child, "exit");
  const ready = await Promise.race([readiness(child), ended.then(() => undefined)]);
  if (ready === undefined) throw new Error(`The ${name} did not start; ${logFile ?? "its output"} says why.`);
  return {
    name,
    process: child,
    pid: child.pid as number,
    ready,
    stop: async () => {
      if (child.exitCode === null && child.signalCode === null) child.kill("SIGTERM");
      await ended;
    },
  };
}

/** Resolves with the first message of the app itself: `node --watch` passes on what it tells of loaded modules, too. */
function readiness(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve) => {
    child.on("message", (message) => {
      const isOfWatch =
        typeof message === "object" && Object.keys(message ?? {}).some((key) => key.startsWith("watch:"));
      if (!isOfWatch) resolve(message);
    });
  });
}
