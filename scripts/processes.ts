import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { childEnvironment, killOnExit, type NodeProcess, startNodeProcess } from "@gantry/local-stack";
import { SETTING_NAMES } from "@gantry/runtime";

const root = fileURLToPath(new URL("..", import.meta.url));

/** The API or a worker in its own process. */
export interface App extends NodeProcess {
  name: "api" | "worker";
}

export interface AppOptions {
  /** Runs the compiled app, as in production, instead of its sources. */
  isBuilt?: boolean;
  /** Modules to load before the app. */
  preloads?: string[];
  /** Restarts the app on each change of a source that it has loaded. */
  isWatched?: boolean;
}

/** The settings of each app. A worker's AWS identity, which the SDK reads, is not the API's. */
const VARIABLES = {
  api: new RegExp(`^(${SETTING_NAMES.join("|")})$`),
  worker: new RegExp(`^(${SETTING_NAMES.join("|")}|AWS_\\w+)$`),
};

/**
 * Starts an app and waits until it is ready. The app ends when this process does.
 *
 * @param logs the folder of `<name>.log`; undefined for a log on the terminal
 * @throws an Error that names the log when the app exits before it is ready
 */
export async function startApp(
  name: App["name"],
  env: Record<string, string>,
  logs: string | undefined,
  { isBuilt = false, preloads = [], isWatched = false }: AppOptions = {},
): Promise<App> {
  if (logs) mkdirSync(logs, { recursive: true, mode: 0o700 });
  const output = logs ? join(logs, `${name}.log`) : "inherit";
  const file = join(root, "apps", name, isBuilt ? "dist/main.js" : "src/main.ts");
  const started = await startNodeProcess(file, {
    name: `The ${name}`,
    environment: { ...childEnvironment(process.env, VARIABLES[name]), ...env },
    cwd: root,
    nodeOptions: isWatched ? ["--watch", "--watch-preserve-output"] : [],
    preloads,
    stdout: output,
    stderr: output,
  });
  // `node --watch` does not notice the end of its parent; the app notices that of `node --watch`.
  if (isWatched) void started.exited.then(killOnExit(started.pid, childEnvironment(process.env)));
  return { name, ...started };
}
