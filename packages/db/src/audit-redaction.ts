import { randomUUID } from "node:crypto";
import { auditHash } from "./audit-hash.js";
import type { Db, Tx } from "./client.js";
import { sqlState } from "./database-errors.js";
import type { AuditRecord, Prisma } from "./generated/client.js";
import { insertInto } from "./insert.js";

/** The action of the record that says of another one in its chain that its input was redacted. */
export const REDACTION = "redact audit record";

/** A record, what remains of its input, and the hash before it in its chain. */
export interface Redaction {
  record: AuditRecord;
  changes: Prisma.InputJsonObject;
  previous: Uint8Array | undefined;
}

/** The lock on the table waits no longer, so that a long transaction of an app stops nobody for longer than this. */
const LOCK_SECONDS = 2;

/**
 * Replaces the inputs of records in one transaction. The records keep their hashes, and another record in the same chain says
 * so: it holds the hash, and the one of the record as it is now, so that `findTampering` accepts this content and no other.
 * Readers do not wait; what adds records waits until it ends.
 *
 * @param db connected as the owner of the tables, whom the tables' protection lets through
 * @throws Error if the database's user is not the owner
 */
export async function redactRecords(db: Db, redactions: readonly Redaction[], reason: string): Promise<void> {
  for (;;) {
    try {
      await db.$transaction((tx) => redactIn(tx, redactions, reason), { timeout: 60_000 });
      return;
    } catch (error) {
      const state = sqlState(error);
      if (state === "42501")
        throw new Error("Only the owner of the tables can redact records: set DATABASE_OWNER_URL.", { cause: error });
      if (state !== "55P03") throw error;
    }
  }
}

async function redactIn(tx: Tx, redactions: readonly Redaction[], reason: string): Promise<void> {
  await tx.$executeRawUnsafe(`SET LOCAL lock_timeout = '${LOCK_SECONDS}s'`);
  await tx.$executeRaw`ALTER TABLE audit_records DISABLE TRIGGER append_only`;
  for (const { record, changes, previous } of redactions) {
    const { chain, position, id, accountId, hash } = record;
    await tx.$executeRaw`UPDATE audit_records SET changes = ${JSON.stringify(changes)}::json
      WHERE chain = ${chain}::uuid AND position = ${position}`;
    const now = auditHash(previous, { ...record, changes: changes as Prisma.JsonObject });
    const said = { hash: hexOf(hash), redacted_hash: hexOf(now) };
    const entry = { id: randomUUID(), accountId, traceId: "", action: REDACTION, subject: subjectOf(id) };
    await tx.$executeRaw(insertInto("pending_audit_records", { ...entry, changes: said, status: 200, reason }));
  }
  await tx.$executeRaw`ALTER TABLE audit_records ENABLE TRIGGER append_only`;
}

/** True if a record of the chain says that this one was redacted to what it is now. */
export async function isRedacted(db: Db | Tx, previous: Uint8Array | undefined, record: AuditRecord): Promise<boolean> {
  const { chain, id, hash } = record;
  const redactions = await db.auditRecord.findMany({ where: { chain, subject: subjectOf(id), action: REDACTION } });
  const now = hexOf(auditHash(previous, record));
  return redactions.some(({ changes }) => {
    const said = changes as { hash?: unknown; redacted_hash?: unknown };
    return said.hash === hexOf(hash) && said.redacted_hash === now;
  });
}

function subjectOf(id: string): string {
  return `audit_record/${id}`;
}

function hexOf(hash: Uint8Array): string {
  return Buffer.from(hash).toString("hex");
}
