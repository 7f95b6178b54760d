import { auditHash } from "./audit-hash.js";
import { isRedacted } from "./audit-redaction.js";
import type { Db, Tx } from "./client.js";
import type { AuditRecord } from "./generated/client.js";

/** The chain of the actions that do not concern a single account. */
export const INSTALLATION_CHAIN = "00000000-0000-0000-0000-000000000000";

/** The last record of a chain at a certain time. */
export interface ChainHead {
  chain: string;
  position: bigint;
  hash: Uint8Array;
}

/** A record whose content or position differs from what was written. */
export interface Tampering {
  chain: string;
  position: bigint;
  /** Absent if the record is gone. */
  id?: string;
  found: "changed" | "removed" | "inserted";
}

/**
 * Moves the pending records of committed acts into their chains.
 *
 * @returns the new last record of each chain that grew, also by `linkChain`, since the last call by any process
 */
export async function linkAuditRecords(db: Db | Tx): Promise<ChainHead[]> {
  const heads = new Map<string, ChainHead>();
  for (;;) {
    const linked = await db.$queryRaw<ChainHead[]>`SELECT chain, position, hash FROM link_audit_records()`;
    for (const head of linked) heads.set(head.chain, head);
    if (linked.length < LINKED_AT_ONCE) return [...heads.values()];
  }
}

/**
 * Moves the pending records of one chain into it. Its new last record is left for `linkAuditRecords` to return.
 *
 * @param steps the greatest number of steps, each of up to 1,000 records
 */
export async function linkChain(db: Db | Tx, chain: string, steps = Number.POSITIVE_INFINITY): Promise<void> {
  for (let step = 0; step < steps; step++) {
    const [row] = await db.$queryRaw<{ linked: number }[]>`SELECT link_audit_chain(${chain}::uuid) AS linked`;
    if ((row?.linked ?? 0) < LINKED_AT_ONCE) return;
  }
}

/** The most records that the database's functions move in one call. */
const LINKED_AT_ONCE = 1000;

/**
 * Finds what was changed in a chain after it was written, except what `redactRecords` redacted. A chain that was rewritten from one record to its end is
 * detected only with a head that was kept elsewhere.
 *
 * @param heads earlier heads of this chain, from a location that its database's owner cannot change
 */
export async function* findTampering(
  db: Db,
  chain: string,
  heads: readonly ChainHead[] = [],
): AsyncGenerator<Tampering> {
  const expected = new Map(heads.map(({ position, hash }) => [position, hash]));
  let beforePrevious: Uint8Array | undefined;
  let previous: Uint8Array | undefined;
  let position = 1n;
  for await (const [record, next] of withNext(auditRecordsOf(db, chain))) {
    const at = { chain, position: record.position, id: record.id };
    if (record.position !== position) {
      yield { chain, position, found: "removed" };
      previous = record.hash;
    } else if (isLinked(previous, record) || (await isRedacted(db, previous, record))) {
      [beforePrevious, previous] = [previous, record.hash];
    } else if (next && isLinked(previous, next)) {
      yield { ...at, found: "inserted" };
    } else if (position > 1n && isLinked(beforePrevious, record)) {
      yield { chain, position: position - 1n, found: "inserted" };
      previous = record.hash;
    } else {
      yield { ...at, found: "changed" };
      previous = record.hash;
    }
    const head = expected.get(record.position);
    if (head && !Buffer.from(head).equals(record.hash)) yield { ...at, found: "changed" };
    position = record.position + 1n;
  }
  if (heads.some((head) => head.position >= position)) yield { chain, position, found: "removed" };
}

function isLinked(previous: Uint8Array | undefined, record: AuditRecord): boolean {
  return auditHash(previous, record).equals(record.hash);
}

const PAGE = 1000;

/** The records of a chain behind a position, or from its beginning. */
export async function* auditRecordsOf(db: Db | Tx, chain: string, start = 0n): AsyncGenerator<AuditRecord> {
  for (let after = start; ; ) {
    const records = await db.auditRecord.findMany({
      where: { chain, position: { gt: after } },
      orderBy: { position: "asc" },
      take: PAGE,
    });
    yield* records;
    const last = records.at(-1);
    if (!last || records.length < PAGE) return;
    after = last.position;
  }
}

async function* withNext<T>(items: AsyncIterable<T>): AsyncGenerator<[T, T | undefined]> {
  let current: T | undefined;
  for await (const item of items) {
    if (current !== undefined) yield [current, item];
    current = item;
  }
  if (current !== undefined) yield [current, undefined];
}
