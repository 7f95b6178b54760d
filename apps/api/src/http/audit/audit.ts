import { insertInto, type NewRow, type Prisma, type Tx } from "@gantry/db";
import { maskUrl } from "@gantry/resources";
import type { Request as Input } from "express";
import { v7 as uuidv7 } from "uuid";
import { z } from "zod";
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
const MAX_TEXT = 200;
const MAX_ITEMS = 20;

/**
 * Returns an input as the audit keeps it: without the parameters that the schema marks as write-only, without the paths
 * and queries of URLs, and with long texts and lists shortened.
 */
export function withoutSecrets(schema: z.ZodType | undefined, input: unknown): Prisma.InputJsonObject {
  if (!schema || typeof input !== "object" || input === null) return {};
  return redact(input, hiddenNamesOf(schema)) as Prisma.InputJsonObject;
}

function redact(value: unknown, hidden: HiddenNames): unknown {
  if (typeof value === "string") return value.length > MAX_TEXT ? `${value.slice(0, MAX_TEXT)}…` : value;
  if (Array.isArray(value)) {
    const items = value.slice(0, MAX_ITEMS).map((item) => redact(item, hidden));
    return value.length > MAX_ITEMS ? [...items, `… ${value.length - MAX_ITEMS} more`] : items;
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      if (hidden.secrets.has(name)) return [name, "…"];
      return [name, redact(hidden.urls.has(name) && typeof inner === "string" ? maskUrl(inner) : inner, hidden)];
    }),
  );
}

/** The names of parameters that the audit omits, and of those of which it keeps only the host. */
interface HiddenNames {
  secrets: ReadonlySet<string>;
  urls: ReadonlySet<string>;
}

const hiddenNames = new WeakMap<z.ZodType, HiddenNames>();

function hiddenNamesOf(schema: z.ZodType): HiddenNames {
  let names = hiddenNames.get(schema);
  if (!names) {
    const json = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as JsonSchema;
    names = {
      secrets: new Set(namesOf(json, ({ writeOnly }) => writeOnly === true)),
      urls: new Set(namesOf(json, ({ format }) => format === "uri")),
    };
    hiddenNames.set(schema, names);
  }
  return names;
}

interface JsonSchema {
  writeOnly?: boolean;
  format?: string;
  properties?: Record<string, JsonSchema>;
  items?: JsonSchema;
  anyOf?: JsonSchema[];
}

/** The names of the properties, at any depth, of which `isHidden` is true. */
function namesOf(
  { properties = {}, items, anyOf = [] }: JsonSchema,
  isHidden: (property: JsonSchema) => boolean,
): string[] {
  const own = Object.entries(properties).flatMap(([name, inner]) => [
    ...(isHidden(inner) ? [name] : []),
    ...namesOf(inner, isHidden),
  ]);
  return [...own, ...[...anyOf, ...(items ? [items] : [])].flatMap((inner) => namesOf(inner, isHidden))];
}
