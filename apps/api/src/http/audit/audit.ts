import { insertInto, type NewRow, type Prisma, type Tx } from "@gantry/db";
import type { Request as Input } from "express";
import { v7 as uuidv7 } from "uuid";
import { type Identity, REASON_HEADER } from "../auth/caller.js";

/** Who acts, from where and why. */
type Actor = Pick<NewRow<"pendingAuditRecord">, "userId" | "tokenId" | "address" | "traceId" | "reason">;

/** What was done: a route, or another action such as `read secret`, and its HTTP status. */
export type AuditEntry = Omit<NewRow<"pendingAuditRecord">, "id" | "createdAt" | "traceId" | "changes"> & {
  changes?: Prisma.InputJsonObject;
};

/** Writes the audit records of one input. */
export class Audit {
  constructor(private readonly actor: Actor) {}

  /** The insert of a record, for a statement that writes several tables. */
  insert(entry: AuditEntry): Prisma.Sql {
    return insertInto("pending_audit_records", { id: uuidv7(), changes: {}, ...this.actor, ...entry });
  }

  /** Writes a record. */
  async write(db: Tx, entry: AuditEntry): Promise<void> {
    await db.$queryRaw(this.insert(entry));
  }
}

/** Returns the audit of an input; `locals` are those of its answer. */
export function auditOf(input: Input, { identity, traceId }: { identity?: Identity; traceId?: string }): Audit {
  const { tokenId = null, user } = identity ?? {};
  const reason = reasonOf(input) ?? null;
  return new Audit({ userId: user?.id ?? null, tokenId, address: input.ip ?? null, traceId: traceId ?? "", reason });
}

/** The reason in the input. */
export function reasonOf(input: Input): string | undefined {
  const reason = input.get(REASON_HEADER)?.trim();
  return reason ? reason.slice(0, MAX_REASON) : undefined;
}

const MAX_REASON = 500;
