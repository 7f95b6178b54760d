import { insertInto, type NewRow, type Prisma, type Tx } from "@gantry/db";
import type { Request as Input } from "express";
import { v7 as uuidv7 } from "uuid";
import { z } from "zod";
import { type Identity, REASON_HEADER } from "./caller.js";

/** Who acts, from where and why. */
type Actor = Pick<NewRow<"pendingAuditRecord">, "userId" | "tokenId" | "address" | "traceId" | "reason">;

/** What was done: a route, or another action such as `read secret`, and its HTTP status. */
export type Act = Omit<NewRow<"pendingAuditRecord">, "id" | "createdAt" | "traceId" | "changes"> & {
  changes?: Prisma.InputJsonObject;
};

/** Writes the audit records of one input. */
export class Audit {
  constructor(private readonly actor: Actor) {}

  /** The insert of a record, for a statement that writes several tables. */
  insert(act: Act): Prisma.Sql {
    return insertInto("pending_audit_records", { id: uuidv7(), changes: {}, ...this.actor, ...act });
  }

  /** Writes a record. */
  async write(db: Tx, act: Act): Promise<void> {
    await db.$queryRaw(this.insert(act));
  }
}

/** The audit of an input; `locals` are those of its answer. */
export function auditOf(input: Input, { identity, traceId }: { identity?: Identity; traceId?: string }): Audit {
  const { tokenId = null, user } = identity ?? {};
  const reason = reasonOf(input) ?? null;
  return new Audit({ userId: user?.id ?? null, tokenId, address: input.ip ?? null, traceId: traceId ?? "", reason });
}

/** The reason that an input gives. */
export function reasonOf(input: Input): string | undefined {
  const reason = input.get(REASON_HEADER)?.trim();
  return reason ? reason.slice(0, MAX_REASON) : undefined;
}

const MAX_REASON = 500;
const MAX_TEXT = 200;
const MAX_ITEMS = 20;

/** An input as the audit keeps it: without the parameters that the schema marks as write-only, long texts and lists cut. */
export function withoutSecrets(schema: z.ZodType | undefined, input: unknown): Prisma.InputJsonObject {
  if (!schema || typeof input !== "object" || input === null) return {};
  return redact(input, secretNamesOf(schema)) as Prisma.InputJsonObject;
}

function redact(value: unknown, secretNames: ReadonlySet<string>): unknown {
  if (typeof value === "string") return value.length > MAX_TEXT ? `${value.slice(0, MAX_TEXT)}…` : value;
  if (Array.isArray(value)) {
    const items = value.slice(0, MAX_ITEMS).map((item) => redact(item, secretNames));
    return value.length > MAX_ITEMS ? [...items, `… ${value.length - MAX_ITEMS} more`] : items;
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, secretNames.has(name) ? "…" : redact(inner, secretNames)]),
  );
}

const secretNames = new WeakMap<z.ZodType, ReadonlySet<string>>();

function secretNamesOf(schema: z.ZodType): ReadonlySet<string> {
  let names = secretNames.get(schema);
  if (!names) {
    names = new Set(writeOnlyNames(z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as JsonSchema));
    secretNames.set(schema, names);
  }
  return names;
}

interface JsonSchema {
  properties?: Record<string, JsonSchema & { writeOnly?: boolean }>;
  items?: JsonSchema;
  anyOf?: JsonSchema[];
}

function writeOnlyNames({ properties = {}, items, anyOf = [] }: JsonSchema): string[] {
  const own = Object.entries(properties).flatMap(([name, inner]) => (inner.writeOnly ? [name] : writeOnlyNames(inner)));
  return [...own, ...[...anyOf, ...(items ? [items] : [])].flatMap(writeOnlyNames)];
}
