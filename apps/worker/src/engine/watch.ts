import { Prisma } from "@gantry/db";
import type { Ring } from "@gantry/requests";
import type { Engine } from "./engine.js";
import { verdictOn } from "./verdict.js";

/** What a sleeping Request waits for: it is woken when that is no longer as it was `seen`. */
export interface Watched {
  providerId: number;
  region: string;
  kind: string;
  id: string;
  /** Empty where it was not there. */
  seen: string;
}

/** What a Request says of its watch when it goes to sleep. Its row adds `wake`, without which a watch is an old one. */
export interface Watch extends Watched {
  everySeconds: number;
  /** Since when it waits: it is looked at after a quarter of that, up to `everySeconds`. */
  since: Date;
  /** When it has waited in vain. */
  until: Date;
}

/** The most things in one call. */
const LARGEST_LOOK = 100;

/** The most calls for one place in one round, so that none keeps the others waiting. */
const CALLS_PER_ROUND = 10;
/** The most places in one round. */
const PLACES_PER_ROUND = 20;

/** The condition under which a Request sleeps while this worker can look for it. `r` is the Request. */
export function watched<Cloud>(all: Engine<Cloud>["kinds"]): Prisma.Sql {
  const kinds = [...all.values()].filter(({ look }) => look).map(({ kind }) => kind);
  return Prisma.sql`(r.finished_at IS NULL AND r.lease_until IS NULL AND (r.watch->>'wake')::int = r.wake
    AND r.watch->>'kind' = ANY(${kinds}))`;
}

interface Place {
  accountId: string;
  providerId: number;
  region: string;
  kind: string;
}

interface Sleeper {
  requestId: string;
  id: string;
  seen: string;
  isOver: boolean;
}

/**
 * Looks at what sleeping Requests wait for, a hundred in a call, and wakes those for which something has changed. Any
 * number of workers may do so at the same time.
 *
 * @returns whether more is due
 */
export async function lookAround<Cloud>(engine: Engine<Cloud>): Promise<boolean> {
  const places = await engine.db.$queryRaw<Place[]>`
    SELECT account_id AS "accountId", (watch->>'providerId')::int AS "providerId", watch->>'region' AS region,
      watch->>'kind' AS kind
    FROM requests r WHERE ${watched(engine.kinds)} AND next_run_at <= now()
    GROUP BY 1, 2, 3, 4 ORDER BY min(next_run_at) LIMIT ${PLACES_PER_ROUND}`;
  const left = await Promise.all(places.map((place) => lookAt(engine, place)));
  return left.some((isMore) => isMore);
}

async function lookAt<Cloud>(engine: Engine<Cloud>, place: Place): Promise<boolean> {
  for (let calls = 0; calls < CALLS_PER_ROUND; calls++) {
    if (engine.isStopping()) return false;
    const sleepers = await take(engine, place);
    if (sleepers.length === 0) return false;
    const states = await statesOf(engine, place, sleepers);
    const changed = sleepers.filter(({ id, seen, isOver }) => isOver || !states || (states.get(id) ?? "") !== seen);
    if (changed.length > 0) await wake(engine, changed);
  }
  return true;
}

/**
 * Those who have waited longest for a look, if one of them is due, with the next look put off. A call that has to be made
 * is filled up with those that would be due soon, by which those of one place come to share their calls.
 */
function take<Cloud>({ db, kinds }: Engine<Cloud>, { accountId, providerId, region, kind }: Place): Promise<Sleeper[]> {
  return db.$queryRaw<Sleeper[]>`
    WITH soonest AS (
      SELECT id, next_run_at FROM requests r
      WHERE ${watched(kinds)} AND watch->>'kind' = ${kind} AND account_id = ${accountId}::uuid
        AND (watch->>'providerId')::int = ${providerId}::int AND watch->>'region' = ${region}
        AND next_run_at <= now() + make_interval(secs => (watch->>'everySeconds')::float8 / 4)
      ORDER BY next_run_at LIMIT ${LARGEST_LOOK} FOR UPDATE SKIP LOCKED)
    UPDATE requests r SET next_run_at = now() + least(
        make_interval(secs => (watch->>'everySeconds')::float8), (now() - (watch->>'since')::timestamptz) / 4)
    FROM soonest WHERE r.id = soonest.id AND (SELECT min(next_run_at) FROM soonest) <= now()
    RETURNING r.id::text AS "requestId", watch->>'id' AS id, watch->>'seen' AS seen,
      coalesce(now() > least(deadline_at, (watch->>'until')::timestamptz), false) AS "isOver"`;
}

/** How the things are; undefined where their Requests have to find out for themselves that they cannot be looked at. */
async function statesOf<Cloud>(
  engine: Engine<Cloud>,
  { accountId, providerId, region, kind }: Place,
  sleepers: Sleeper[],
): Promise<ReadonlyMap<string, string> | undefined> {
  try {
    const cloud = await engine.connect({ providerId, region }, accountId);
    const ids = [...new Set(sleepers.map(({ id }) => id))];
    return await engine.kinds.get(kind)?.look?.(cloud, ids);
  } catch (error) {
    const verdict = verdictOn(error, engine.classify);
    if (!verdict) throw error;
    engine.log.warn({ err: error, providerId, region, kind }, "what Requests wait for could not be looked at");
    // What may pass is looked at again next time.
    return verdict.kind === "permanent" ? undefined : new Map(sleepers.map(({ id, seen }) => [id, seen]));
  }
}

async function wake<Cloud>({ db, bell, kinds }: Engine<Cloud>, sleepers: Sleeper[]): Promise<void> {
  const ids = sleepers.map(({ requestId }) => requestId);
  const woken = await db.$queryRaw<Ring[]>`
    UPDATE requests r SET next_run_at = now(), wake = r.wake + 1, watch = NULL
    WHERE id = ANY(${ids}::uuid[]) AND ${watched(kinds)} RETURNING id, account_id AS "accountId", wake`;
  bell.ring(...woken);
}
