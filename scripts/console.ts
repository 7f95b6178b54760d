import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const BUILD = fileURLToPath(new URL("../apps/console/build.mjs", import.meta.url));

/** Builds the web console if its sources have changed. Returns why it could not; Gantry runs without it. */
export async function buildConsole(): Promise<string | undefined> {
  try {
    await promisify(execFile)(process.execPath, [BUILD]);
    return undefined;
  } catch (error) {
    return (error as { stderr?: string }).stderr || (error as Error).message;
  }
}
