import { appendFile } from "node:fs/promises";
import { type ChainHead, type Db, linkAuditRecords } from "@gantry/db";
import { type Log, repeat } from "@gantry/runtime";

const INTERVAL_MS = 1000;

/**
 * Moves new audit records into their chains every second. Several workers may do so at once.
 *
 * @param headsFile a file to which the new end of each chain is appended, a line of JSON each
 * @returns a function that stops it and resolves when the move under way has ended
 */
export function startAuditLinker(db: Db, log: Log, headsFile?: string): () => Promise<void> {
  const link = async () => {
    const heads = await linkAuditRecords(db);
    if (headsFile && heads.length > 0) await appendFile(headsFile, linesOf(heads));
  };
  return repeat({ everyMs: INTERVAL_MS, log, name: "audit linking" }, link).stop;
}

function linesOf(heads: ChainHead[]): string {
  const time = new Date().toISOString();
  const lines = heads.map(({ chain, position, hash }) =>
    JSON.stringify({ time, chain, position: Number(position), hash: Buffer.from(hash).toString("hex") }),
  );
  return `${lines.join("\n")}\n`;
}
