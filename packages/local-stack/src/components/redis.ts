import { readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { startOnPort } from "../ports.js";
import { startNode, startProcess } from "../processes/start.js";
import { type Component, type ComponentOptions, toComponent } from "./component.js";
import { localPassword } from "./password.js";
import { findProgram } from "./programs.js";

/**
 * Starts a server of the Redis protocol on 127.0.0.1 without persistence: `redis-server` or `valkey-server` on PATH, else
 * Valkey as WebAssembly.
 */
export async function startRedis({ folder, environment, ...options }: ComponentOptions): Promise<Component> {
  const password = localPassword(folder, "redis");
  const shared = { name: "redis", environment, logFile: join(folder, "redis.log") };
  const program = findProgram(["redis-server", "valkey-server"], environment);
  return startOnPort(options, async (port) => {
    const running = program
      ? await startProcess({
          ...shared,
          command: program,
          args: [configuration(port, folder, password)],
          ready: async () => assertReady(shared.logFile),
        })
      : await startNode("components/valkey-server", [String(port)], shared);
    if (!program)
      await setPassword(port, password).catch(async (error) => {
        await running.kill();
        throw error;
      });
    return toComponent(`redis://:${password}@127.0.0.1:${port}`, running);
  });
}

/** Reads the log, as a server of another program on the same port would answer a ping too. */
function assertReady(logFile: string): void {
  if (!/ready to accept connections/i.test(readFileSync(logFile, "utf8"))) throw new Error("Redis is not ready.");
}

/** Writes a file of settings, since everybody on the machine can read a process's arguments. */
function configuration(port: number, folder: string, password: string): string {
  const directives = {
    requirepass: password,
    port,
    bind: "127.0.0.1",
    save: '""',
    appendonly: "no",
    "maxmemory-policy": "noeviction",
    dir: JSON.stringify(folder),
  };
  const file = join(folder, "redis.conf");
  const lines = Object.entries(directives).map(([name, value]) => `${name} ${value}\n`);
  writeFileSync(file, lines.join(""), { mode: 0o600 });
  return file;
}

function setPassword(port: number, password: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(`CONFIG SET requirepass ${password}\r\n`));
    socket.once("data", (answer) => {
      socket.destroy();
      if (String(answer).startsWith("+")) resolve();
      else reject(new Error(String(answer)));
    });
    socket.once("error", reject);
  });
}
