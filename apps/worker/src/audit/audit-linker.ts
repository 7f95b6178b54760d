import { appendFile } from "node:fs/promises";
import { type ChainHead, type Db, linkAuditRecords } from "@gantry/db";
import type { Log } from "@gantry/runtime";

const INTERVAL_MS = 1000;

/**
 * Moves new audit records into their chains every second. Several workers may do so at once.
 *
 * @param headsFile a file to which the new end of each chain is appended, a line of JSON each
 * @returns a function that stops it and resolves when the move under way has ended
 */
export function startAuditLinker(db: Db, log: Log, headsFile?: string): () => Promise<void> {
  let linking: Promise<void> | undefined;
  const tick = () => {
    linking ??= linkAuditRecords(db)
      .then((heads) => (headsFile && heads.length > 0 ? appendFile(headsFile, linesOf(heads)) : undefined))
      .catch((error) => log.warn({ err: error }, "audit records not linked; the next attempt follows"))
      .finally(() => {
        linking = undefined;
      });
  };
  const timer = setInterval(tick, INTERVAL_MS);
  return async () => {
    clearInterval(timer);
    await linking;
  };
}

function linesOf(heads: ChainHead[]): string {
  const time = new Date().toISOString();
  const lines = heads.map(({ chain, position, hash }) =>
    JSON.stringify({ time, chain, position: Number(position), hash: Buffer.from(hash).toString("hex") }),
  );
  return `${lines.join("\n")}\n`;
}
