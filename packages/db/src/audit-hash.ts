import { createHash } from "node:crypto";
import type { AuditRecord } from "./generated/client.js";

/** The SHA-256 of a record and of the hash before it; the database's function `move_audit_records` computes the same. */
export function auditHash(previous: Uint8Array | undefined, record: AuditRecord): Buffer {
  const { id, accountId, userId, tokenId, address, traceId, action, subject, requestId } = record;
  const { changes, status, reason, createdAt } = record;
  const values = [id, accountId, userId, tokenId, address, traceId, action, subject, requestId];
  const all = [...values, JSON.stringify(changes), String(status), reason, createdAt.toISOString()];
  const content = `[${all.map((value) => JSON.stringify(value)).join(", ")}]`;
  return createHash("sha256")
    .update(previous ?? "")
    .update(content)
    .digest();
}
