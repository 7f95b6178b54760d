import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { checkoutAbove } from "../checkout.js";
import { ConfigFile } from "../config.js";
import { CommandError, EXIT } from "../exit-codes.js";
import type { Session } from "../session.js";
import type { Builder } from "./builder.js";

const POLL_MS = 250;

export const build: Builder = (name, sessionOf) =>
  new Command(name).action(async (_options: object, command: Command) => up(sessionOf(command)));

/** Runs `npm start` of the checkout around this folder, and makes its address the current context. */
async function up({ terminal }: Session): Promise<void> {
  const root = checkoutAbove(process.cwd());
  if (!root) {
    throw new CommandError("this folder is not in a checkout of Gantry", EXIT.notFound, [
      "clone Gantry and run gantry up in it",
      "or sign in to a Gantry that runs: gantry login https://gantry.example.com",
    ]);
  }
  const local = join(root, ".gantry", "local.json");
  rmSync(local, { force: true });
  const child = spawn("npm", ["start"], { cwd: root, stdio: "inherit", shell: process.platform === "win32" });
  // Ctrl-C reaches the child as well, which ends by itself.
  process.on("SIGINT", () => {});
  const timer = setInterval(() => {
    if (!existsSync(local)) return;
    clearInterval(timer);
    const { base_url: url, token } = JSON.parse(readFileSync(local, "utf8")) as { base_url: string; token: string };
    const file = new ConfigFile(terminal.env);
    file.write({ current: "local", contexts: { ...file.read().contexts, local: { url, token } } });
    terminal.err.write(`The context local is ready, in another terminal: gantry init\n`);
  }, POLL_MS);
  const [code] = (await once(child, "exit")) as [number | null];
  clearInterval(timer);
  if (code) throw new CommandError(`npm start ended with ${code}`, EXIT.failed);
}
