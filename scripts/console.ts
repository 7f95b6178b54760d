import { execFile, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const [BUILD, SERVE] = ["build", "serve"].map((name) =>
  fileURLToPath(new URL(`../apps/console/${name}.mjs`, import.meta.url)),
) as [string, string];

/** Builds the web console if its sources have changed. Returns why it could not; Gantry runs without it. */
export async function buildConsole(): Promise<string | undefined> {
  try {
    await promisify(execFile)(process.execPath, [BUILD]);
    return undefined;
  } catch (error) {
    return (error as { stderr?: string }).stderr || (error as Error).message;
  }
}

/** Serves the console from its sources with hot reload. It ends with this process. Returns its URL. */
export async function serveConsole(api: string): Promise<string> {
  const server = fork(SERVE, [api], { execArgv: [] });
  const [url] = await Promise.race([
    once(server, "message"),
    once(server, "exit").then(([code]) => {
      throw new Error(`The server of the console exited with ${code}.`);
    }),
  ]);
  return url as string;
}
