import { appendFile } from "node:fs/promises";
import { type ChainHead, linkAuditRecords } from "@gantry/db";
import { repeat } from "@gantry/runtime";
import type { Service } from "./service.js";

const INTERVAL_MS = 1000;

/**
 * Moves new audit records into their chains every second, and appends the new end of every chain to AUDIT_HEADS_FILE as a
 * line of JSON. Several workers may do so at once.
 */
export const auditLinking: Service<"db" | "log" | "env"> = ({ db, log, env: { AUDIT_HEADS_FILE: file } }) =>
  repeat({ everyMs: INTERVAL_MS, log, name: "audit linking" }, async () => {
    const heads = await linkAuditRecords(db);
    if (file && heads.length > 0) await appendFile(file, linesOf(heads));
  }).stop;

function linesOf(heads: ChainHead[]): string {
  const time = new Date().toISOString();
  const lines = heads.map(({ chain, position, hash }) =>
    JSON.stringify({ time, chain, position: Number(position), hash: Buffer.from(hash).toString("hex") }),
  );
  return `${lines.join("\n")}\n`;
}
