import { mkdirSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { type ProcessOptions, startNode, startProcess } from "../processes/start.js";
import { type Component, type ComponentOptions, freePort, toComponent } from "./component.js";
import { findProgram } from "./programs.js";

/**
 * Starts a server of the Redis protocol on 127.0.0.1 without persistence: `redis-server` or `valkey-server` on PATH, else
 * Valkey as WebAssembly.
 */
export async function startRedis({ folder, environment, ...options }: ComponentOptions): Promise<Component> {
  const port = options.port ?? (await freePort());
  mkdirSync(folder, { recursive: true });
  const shared = { name: "redis", environment, logFile: join(folder, "redis.log") };
  const program = findProgram(["redis-server", "valkey-server"], environment);
  const running = program
    ? await startProcess({ ...shared, command: program, args: settings(port, folder), ready: () => ping(port) })
    : await startNode("components/valkey-server", [String(port)], shared);
  return toComponent(`redis://127.0.0.1:${port}`, running);
}

function settings(port: number, folder: string): ProcessOptions["args"] {
  const directives = {
    port,
    bind: "127.0.0.1",
    save: "",
    appendonly: "no",
    "maxmemory-policy": "noeviction",
    dir: folder,
  };
  return Object.entries(directives).flatMap(([name, value]) => [`--${name}`, String(value)]);
}

function ping(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => socket.write("PING\r\n"));
    socket.once("data", () => {
      socket.destroy();
      resolve();
    });
    socket.once("error", reject);
  });
}
