import type { Log } from "./log.js";

/**
 * Runs `close` once on SIGTERM, on SIGINT or when the IPC channel of a parent process closes. Then ends the process: with
 * 0 after success, with 1 after an error or `limitSeconds`.
 */
export function onShutdown(log: Log, limitSeconds: number, close: () => Promise<void>): void {
  let closing = false;
  const shutDown = async (signal: string) => {
    if (closing) return;
    closing = true;
    log.info({ signal }, "shutting down");
    setTimeout(() => {
      log.error({ limitSeconds }, "shutdown took too long");
      process.exit(1);
    }, limitSeconds * 1000).unref();
    try {
      await close();
      process.exit(0);
    } catch (error) {
      log.error({ err: error }, "shutdown failed");
      process.exit(1);
    }
  };
  process.on("SIGTERM", shutDown);
  process.on("SIGINT", shutDown);
  process.on("disconnect", () => shutDown("disconnect"));
}
