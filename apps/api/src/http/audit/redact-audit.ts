import {
  type AuditRecord,
  auditRecordsOf,
  type Db,
  linkAuditRecords,
  type Prisma,
  type Redaction,
  redactRecords,
} from "@gantry/db";
import type { z } from "zod";
import { isRecord } from "../input/input.js";
import { HIDDEN, shownInput } from "./shown-input.js";

interface Options {
  /** False only counts. */
  apply: boolean;
  reason: string;
  /** The id of the only record to redact, whose whole input is hidden. */
  record?: string | undefined;
  /** Is told how many records were read. */
  report(records: number): void;
}

/** How many records were read, and how many values are to hide or hidden, by action and parameter. */
interface Result {
  records: number;
  found: Map<string, number>;
}

/** The most records that one transaction redacts, while no other record is added. */
const AT_ONCE = 100;

/**
 * Hides in the audit what `shownInput` hides today. If it is interrupted, what is done stays, and the next call does the rest.
 *
 * @throws Error if there is no record of the given id, or if the database's user does not own the tables
 */
export async function redactAudit(
  db: Db,
  endpoints: readonly { route: string; body?: z.ZodType }[],
  { apply, reason, record: only, report }: Options,
): Promise<Result> {
  await linkAuditRecords(db);
  const bodies = new Map(endpoints.map(({ route, body }) => [route, body]));
  const shownOf = ({ id, action, changes }: AuditRecord) => {
    if (only !== undefined) return id === only ? hidden(changes) : changes;
    return bodies.has(action) ? shownInput(bodies.get(action), changes) : changes;
  };
  const result: Result = { records: 0, found: new Map() };
  for (const chain of await chainsOf(db, only)) {
    let batch: Redaction[] = [];
    const flush = async () => {
      if (apply && batch.length > 0) await redactRecords(db, batch, reason);
      batch = [];
    };
    let previous: Uint8Array | undefined;
    for await (const record of auditRecordsOf(db, chain)) {
      const changes = shownOf(record) as Prisma.InputJsonObject;
      const paths = differences(record.changes, changes);
      for (const path of paths) increment(result.found, `${record.action}  ${path}`);
      if (paths.length > 0) batch.push({ record, changes, previous });
      if (batch.length === AT_ONCE) await flush();
      previous = record.hash;
      report(++result.records);
    }
    await flush();
  }
  return result;
}

async function chainsOf(db: Db, id: string | undefined): Promise<string[]> {
  const where = id === undefined ? {} : { id };
  const rows = await db.auditRecord.findMany({ where, distinct: ["chain"], select: { chain: true } });
  if (id !== undefined && rows.length === 0) throw new Error(`The audit has no record ${id}.`);
  return rows.map(({ chain }) => chain);
}

function hidden(changes: unknown): unknown {
  return isRecord(changes) ? Object.fromEntries(Object.keys(changes).map((name) => [name, HIDDEN])) : changes;
}

/** The paths with dots at which two values differ. */
function differences(before: unknown, after: unknown, path: readonly string[] = []): string[] {
  const areBoth = (test: (value: unknown) => boolean) => test(before) && test(after);
  if (areBoth(isRecord) || areBoth(Array.isArray)) {
    const [old, current] = [before, after] as Record<string, unknown>[];
    return Object.keys(old ?? {}).flatMap((name) => differences(old?.[name], current?.[name], [...path, name]));
  }
  return before === after ? [] : [path.join(".")];
}

function increment(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
