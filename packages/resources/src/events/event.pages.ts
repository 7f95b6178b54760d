import { type Db, type Event, Prisma } from "@gantry/db";
import { type EventType, idOf } from "./event.record.js";

/** A cursor in the order of events: after the event with this position and number, or after all of lower positions. */
export type EventCursor = Pick<Event, "position" | "seq">;

/** The cursor before the first event. */
export const START: EventCursor = { position: 0n, seq: 0n };

/** The events that a reader wants. */
export interface EventSelection {
  accountIds: readonly string[];
  requestId?: string;
  /** The known descendants of the Request: their events are wanted too. Who reads adds those that it finds. */
  descendants?: Set<string>;
  types?: readonly EventType[];
  subject?: { type: string; id: string };
}

export interface EventPage {
  events: Event[];
  /** The cursor at which the next page begins. */
  cursor: EventCursor;
  /**
   * The reason why a reader cannot rely on the page: events after the cursor where it begins were removed because of
   * their age, or the database lost events before that cursor, for example when a standby or a backup took over.
   */
  gap: "removed" | "lost" | undefined;
}

/** Returns the cursor that an id of an event names; undefined for a malformed text. */
export function cursorOf(id: string): EventCursor | undefined {
  const [, position, seq] = /^(\d{1,18})-(\d{1,18})$/.exec(id) ?? [];
  return position && seq ? { position: BigInt(position), seq: BigInt(seq) } : undefined;
}

/** The text form of a cursor, which a reader may send back. */
export const idOfCursor = idOf;

/** Negative if `a` comes first, 0 if both are the same cursor. */
export function compareCursors(a: EventCursor, b: EventCursor): number {
  return Number(a.position === b.position ? a.seq - b.seq : a.position - b.position);
}

/** True if a reader wants the event. Events have to come in their order, so that a descendant is known before its own. */
export function selects(selection: EventSelection, event: Event): boolean {
  const { accountIds, requestId, descendants, types, subject } = selection;
  if (isChild(selection, event)) descendants?.add(event.subjectId);
  return (
    accountIds.includes(event.accountId) &&
    (requestId === undefined || event.requestId === requestId || descendants?.has(event.requestId ?? "") === true) &&
    (types === undefined || types.includes(event.type as EventType)) &&
    (subject === undefined || (event.subjectType === subject.type && event.subjectId === subject.id))
  );
}

/** True for the event with which a child of the selected Requests was accepted. */
function isChild({ requestId, descendants }: EventSelection, { type, record }: Event): boolean {
  if (!descendants || type !== "request.accepted") return false;
  const { parent_id: parentId } = record as { parent_id?: string | null };
  return typeof parentId === "string" && (parentId === requestId || descendants.has(parentId));
}

/** The ids of all descendants of a Request. After a page of events, they include those whose events come before its cursor. */
export async function readDescendants(db: Pick<Db, "$queryRaw">, requestId: string): Promise<string[]> {
  const rows = await db.$queryRaw<
    { id: string }[]
  >`SELECT id FROM ${familyOf(requestId)} WHERE id <> ${requestId}::uuid`;
  return rows.map(({ id }) => id);
}

/** A Request and all of its descendants, as SQL. */
function familyOf(requestId: string): Prisma.Sql {
  return Prisma.sql`(
    WITH RECURSIVE family AS (
      SELECT ${requestId}::uuid AS id
      UNION ALL SELECT child.id FROM requests child JOIN family ON child.parent_id = family.id)
    SELECT id FROM family) family`;
}

const NO_CLOCK = "The table event_clocks has no row.";

// The planner expects hundreds of rows of a table that is too small to be analyzed, unless it is told of the only one.
const CLOCK = Prisma.sql`(SELECT event_horizon() AS horizon, kept_from, unused,
  added + pg_snapshot_xmax(pg_current_snapshot())::text::bigint AS "end" FROM current_event_clock LIMIT 1) clock`;

/** Returns the position below which events are readable, and the one that no transaction has reached yet. */
export async function readHorizon(db: Pick<Db, "$queryRaw">): Promise<{ horizon: bigint; end: bigint }> {
  const [row] = await db.$queryRaw<{ horizon: bigint; end: bigint }[]>`
    SELECT clock.horizon, clock.end FROM ${CLOCK}`;
  if (!row) throw new Error(NO_CLOCK);
  return row;
}

/**
 * A page of events in their order. It ends before the first position at which a running transaction may still add
 * events, so that a reader that continues at its `cursor` misses none and gets none twice.
 *
 * @param after the cursor after which it begins; the horizon if absent
 * @param limit the greatest number of events
 * @param isNewest true for the last events before the horizon instead of the first ones after the cursor
 */
export async function readEvents(
  db: Pick<Db, "$queryRaw">,
  selection: EventSelection,
  after: EventCursor | undefined,
  limit: number,
  isNewest = false,
): Promise<EventPage> {
  const direction = isNewest ? Prisma.sql`DESC` : Prisma.sql`ASC`;
  const start = after ? Prisma.sql`${after.position}::bigint, ${after.seq}::bigint` : Prisma.sql`clock.horizon, 0`;
  const list = rangesOf(selection, start, direction, limit);
  // The last position that the reader has seen. A cursor with the number 0 lies before the events of its own position.
  const lastSeen = after && after.seq === 0n ? after.position - 1n : after?.position;
  const rows = await db.$queryRaw<(Clock & (Event | NoEvent))[]>`
    SELECT clock.horizon, clock.end, clock.kept_from AS "keptFrom", clock.unused @> ${lastSeen}::bigint AS "isUnused",
      account_id AS "accountId", position, seq, type, subject_type AS "subjectType", subject_id AS "subjectId",
      request_id AS "requestId", record, message, created_at AS "createdAt"
    FROM ${CLOCK}
    LEFT JOIN LATERAL (
      SELECT event.* FROM ${list} ORDER BY position ${direction}, seq ${direction} LIMIT ${limit}) event ON true
    ORDER BY position, seq`;
  const [first] = rows;
  if (!first) throw new Error(NO_CLOCK);
  const horizon = { position: first.horizon, seq: 0n };
  const events = rows.filter((row): row is Clock & Event => row.accountId !== null);
  const last = events.at(-1);
  // The horizon may go back when a transaction of another database ends; a reader never does.
  const cursor = after && compareCursors(after, horizon) > 0 ? after : horizon;
  return {
    events,
    cursor: last && events.length === limit ? { position: last.position, seq: last.seq } : cursor,
    gap: after && gapAt(after, first),
  };
}

/** The row of the clock if there is no event. */
type NoEvent = { [Field in keyof Event]: null };

interface Clock {
  horizon: bigint;
  end: bigint;
  keptFrom: bigint;
  isUnused: boolean | null;
}

function gapAt(after: EventCursor, { keptFrom, end, isUnused }: Clock): EventPage["gap"] {
  if (compareCursors(after, START) === 0) return undefined;
  if (compareCursors(after, { position: keptFrom, seq: 0n }) < 0) return "removed";
  // No reader ever got a cursor beyond the end.
  return isUnused || compareCursors(after, { position: end, seq: 0n }) > 0 ? "lost" : undefined;
}

// The conditions of indexes, word for word as their migrations have them.
const OF_RECORD = Prisma.sql`request_id IS NULL`;
const FREQUENT: readonly EventType[] = [
  "request.accepted",
  "request.started",
  "request.stage",
  "request.waiting",
  "request.message",
  "request.finished",
  "resource.created",
  "resource.changed",
];
const RARE = Prisma.sql`type <> ALL (ARRAY[${Prisma.raw(FREQUENT.map((type) => `'${type}'::text`).join(", "))}])`;

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/**
 * The selected events in their order, from the index that has fewest others among them. Only for a frequent type does
 * it read past other events.
 */
function rangesOf(
  { accountIds, requestId, descendants, types, subject }: EventSelection,
  start: Prisma.Sql,
  direction: Prisma.Sql,
  limit: number,
): Prisma.Sql {
  const ofTypes = types ? Prisma.sql`AND type = ANY(${types})` : Prisma.empty;
  const isRequest = subject?.type === "request" && UUID.test(subject.id);
  const id = requestId ?? (isRequest ? subject.id : undefined);
  const ofSubject = subject
    ? Prisma.sql`AND subject_type = ${subject.type} AND subject_id = ${subject.id}`
    : Prisma.empty;
  if (requestId !== undefined && descendants) {
    const conditions = Prisma.sql`request_id IS NOT NULL AND account_id = ANY(${accountIds}::uuid[]) ${ofTypes} ${ofSubject}`;
    const key = { columns: [Prisma.sql`request_id`], values: Prisma.sql`family.id`, conditions };
    return range(familyOf(requestId), key, start, direction, limit);
  }
  if (id !== undefined) {
    return Prisma.sql`events event WHERE request_id = ${id}::uuid AND account_id = ANY(${accountIds}::uuid[])
      AND (position, seq) > (${start}) AND position < clock.horizon ${ofTypes} ${ofSubject}`;
  }
  const account = Prisma.sql`unnest(${accountIds}::uuid[]) AS account (id)`;
  if (subject) {
    return Prisma.sql`${account} CROSS JOIN LATERAL (
      SELECT * FROM events WHERE account_id = account.id AND subject_type = ${subject.type} AND subject_id = ${subject.id}
        AND (position, seq) > (${start}) AND (position, seq) < (clock.horizon, 0) AND ${OF_RECORD} ${ofTypes}
      ORDER BY position ${direction}, seq ${direction} LIMIT ${limit}) event`;
  }
  if (types?.every((type) => !FREQUENT.includes(type))) {
    const each = Prisma.sql`${account} CROSS JOIN unnest(${[...new Set(types)]}::text[]) AS kind (type)`;
    const key = {
      columns: [Prisma.sql`account_id`, Prisma.sql`type`],
      values: Prisma.sql`account.id, kind.type`,
      conditions: RARE,
    };
    return range(each, key, start, direction, limit);
  }
  const conditions = Prisma.sql`true ${ofTypes}`;
  const key = { columns: [Prisma.sql`account_id`], values: Prisma.sql`account.id`, conditions };
  return range(account, key, start, direction, limit);
}

interface RangeKey {
  columns: Prisma.Sql[];
  values: Prisma.Sql;
  conditions: Prisma.Sql;
}

// Each list begins in its index at the cursor and ends at the limit. With the leading columns inside the comparison the
// planner has no estimate and would read and sort all events after the cursor.
function range(
  each: Prisma.Sql,
  { columns, values, conditions }: RangeKey,
  start: Prisma.Sql,
  direction: Prisma.Sql,
  limit: number,
): Prisma.Sql {
  const place = [...columns, Prisma.sql`position`, Prisma.sql`seq`];
  const order = Prisma.join(place.map((column) => Prisma.sql`${column} ${direction}`));
  return Prisma.sql`${each} CROSS JOIN LATERAL (
    SELECT * FROM events
    WHERE (${Prisma.join(place)}) > (${values}, ${start})
      AND (${Prisma.join(place)}) < (${values}, clock.horizon, 0) AND ${conditions}
    ORDER BY ${order} LIMIT ${limit}) event`;
}
