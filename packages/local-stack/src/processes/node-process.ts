import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import { on } from "node:events";
import { closeSync, openSync } from "node:fs";
import { PortInUse } from "../ports.js";
import { fileArguments } from "./node-arguments.js";

export interface NodeProcessOptions {
  /** For messages; the file by default. */
  name?: string;
  args?: string[];
  /** The whole environment of the process. */
  environment: NodeJS.ProcessEnv;
  cwd?: string;
  nodeOptions?: string[];
  /** Modules to load before the file. */
  preloads?: string[];
  /** "inherit" (the default), "ignore", or a file to append to. */
  stdout?: string;
  stderr?: string;
}

/** A running Node process. */
export interface NodeProcess {
  process: ChildProcess;
  pid: number;
  /** The first message of the process. */
  ready: unknown;
  /** Resolves with the exit code, or null after a signal; never rejects. */
  exited: Promise<number | null>;
  /** Sends SIGTERM and waits for the exit. */
  stop(): Promise<number | null>;
  /** Sends SIGKILL and waits for the exit. */
  kill(): Promise<number | null>;
}

/**
 * Starts a file in a Node process with an IPC channel, and waits for its first message. The program has to exit when the
 * channel closes (`disconnect`), so that no process remains after this one. Throws an Error that names the log if the
 * process exits before its first message, and `PortInUse` if that message is `{ failed: "EADDRINUSE" }`.
 */
export async function startNodeProcess(file: string, options: NodeProcessOptions): Promise<NodeProcess> {
  const { name = file, args = [], environment, cwd, nodeOptions = [], preloads } = options;
  const { stdout = "inherit", stderr = "inherit" } = options;
  const open = (output: string) => {
    if (output === "inherit" || output === "ignore") return output;
    const file = openSync(output, "a", 0o600);
    return file;
  };
  const stdio: StdioOptions = ["ignore", open(stdout), open(stderr), "ipc"];
  const command = [...nodeOptions, ...fileArguments(file, preloads), ...args];
  const child = spawn(process.execPath, command, { ...(cwd && { cwd }), env: environment, stdio });
  for (const output of stdio) if (typeof output === "number") closeSync(output);
  const exited = new Promise<number | null>((resolve) => {
    // A last message may arrive after the exit, but not after the end of its channel.
    child.once("exit", (code) => (child.connected ? child.once("disconnect", () => resolve(code)) : resolve(code)));
    child.once("error", () => resolve(null));
  });
  const ready = await Promise.race([firstMessage(child), exited.then(() => undefined)]);
  const log = [stdout, stderr].find((output) => output !== "inherit" && output !== "ignore");
  const failed = (ready as { failed?: string } | undefined)?.failed;
  if (ready === undefined || failed) {
    // `node --watch` waits for a change after a failure.
    child.kill();
    await exited;
    const Failure = failed === "EADDRINUSE" ? PortInUse : Error;
    throw new Failure(`${name} did not start; see ${log ?? "its output"}.`);
  }
  const send = (signal: NodeJS.Signals) => {
    child.kill(signal);
    return exited;
  };
  const [stop, kill] = [() => send("SIGTERM"), () => send("SIGKILL")];
  return { process: child, pid: child.pid as number, ready, exited, stop, kill };
}

/** Returns the first message of the program; skips those of `node --watch` about loaded modules. */
async function firstMessage(child: ChildProcess): Promise<unknown> {
  for await (const [message] of on(child, "message")) {
    const keys = typeof message === "object" ? Object.keys(message ?? {}) : [];
    if (!keys.some((key) => key.startsWith("watch:"))) return message;
  }
}
