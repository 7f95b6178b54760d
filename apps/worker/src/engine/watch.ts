import { Prisma } from "@gantry/db";
import type { Notification } from "@gantry/requests";
import type { Engine } from "./engine.js";
import { classifyError } from "./error-policy.js";

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
const MAX_BATCH = 100;

/** The most calls for one place in one round, so that none keeps the others waiting. */
const CALLS_PER_ROUND = 10;
/** The most places in one round. */
const GROUPS_PER_ROUND = 20;

/** The condition under which a Request sleeps while this worker can look for it. `r` is the Request. */
export function isWatched<Cloud>(all: Engine<Cloud>["kinds"]): Prisma.Sql {
  const kinds = [...all.values()].filter(({ describeStates }) => describeStates).map(({ kind }) => kind);
  return Prisma.sql`(r.finished_at IS NULL AND r.lease_until IS NULL AND (r.watch->>'wake')::int = r.wake
    AND r.watch->>'kind' = ANY(${kinds}))`;
}

interface WatchGroup {
  accountId: string;
  providerId: number;
  region: string;
  kind: string;
}

interface WatchingRequest {
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
export async function checkWatches<Cloud>(engine: Engine<Cloud>): Promise<boolean> {
  const groups = await engine.db.$queryRaw<WatchGroup[]>`
    SELECT account_id AS "accountId", (watch->>'providerId')::int AS "providerId", watch->>'region' AS region,
      watch->>'kind' AS kind
    FROM requests r WHERE ${isWatched(engine.kinds)} AND next_run_at <= now()
    GROUP BY 1, 2, 3, 4 ORDER BY min(next_run_at) LIMIT ${GROUPS_PER_ROUND}`;
  const left = await Promise.all(groups.map((place) => checkGroup(engine, place)));
  return left.some((isMore) => isMore);
}

async function checkGroup<Cloud>(engine: Engine<Cloud>, group: WatchGroup): Promise<boolean> {
  for (let calls = 0; calls < CALLS_PER_ROUND; calls++) {
    if (engine.isStopping()) return false;
    const requests = await claimDue(engine, group);
    if (requests.length === 0) return false;
    const states = await describeWatched(engine, group, requests);
    const changed = requests.filter(({ id, seen, isOver }) => isOver || !states || (states.get(id) ?? "") !== seen);
    if (changed.length > 0) await wakeUp(engine, changed);
  }
  return true;
}

/**
 * Those who have waited longest for a look, if one of them is due, with the next look put off. A call that has to be made
 * is filled up with those that would be due soon, by which those of one place come to share their calls.
 */
function claimDue<Cloud>(
  { db, kinds }: Engine<Cloud>,
  { accountId, providerId, region, kind }: WatchGroup,
): Promise<WatchingRequest[]> {
  return db.$queryRaw<WatchingRequest[]>`
    WITH soonest AS (
      SELECT id, next_run_at FROM requests r
      WHERE ${isWatched(kinds)} AND watch->>'kind' = ${kind} AND account_id = ${accountId}::uuid
        AND (watch->>'providerId')::int = ${providerId}::int AND watch->>'region' = ${region}
        AND next_run_at <= now() + make_interval(secs => (watch->>'everySeconds')::float8 / 4)
      ORDER BY next_run_at LIMIT ${MAX_BATCH} FOR UPDATE SKIP LOCKED)
    UPDATE requests r SET next_run_at = now() + least(
        make_interval(secs => (watch->>'everySeconds')::float8), (now() - (watch->>'since')::timestamptz) / 4)
    FROM soonest WHERE r.id = soonest.id AND (SELECT min(next_run_at) FROM soonest) <= now()
    RETURNING r.id::text AS "requestId", watch->>'id' AS id, watch->>'seen' AS seen,
      coalesce(now() > least(deadline_at, (watch->>'until')::timestamptz), false) AS "isOver"`;
}

/** How the things are; undefined where their Requests have to find out for themselves that they cannot be looked at. */
async function describeWatched<Cloud>(
  engine: Engine<Cloud>,
  { accountId, providerId, region, kind }: WatchGroup,
  requests: WatchingRequest[],
): Promise<ReadonlyMap<string, string> | undefined> {
  try {
    const cloud = await engine.connect({ providerId, region }, accountId);
    const ids = [...new Set(requests.map(({ id }) => id))];
    return await engine.kinds.get(kind)?.describeStates?.(cloud, ids);
  } catch (error) {
    const outcome = classifyError(error, engine.classify);
    if (!outcome) throw error;
    engine.log.warn({ err: error, providerId, region, kind }, "what Requests wait for could not be looked at");
    // What may pass is looked at again next time.
    return outcome.kind === "permanent" ? undefined : new Map(requests.map(({ id, seen }) => [id, seen]));
  }
}

async function wakeUp<Cloud>({ db, notifier, kinds }: Engine<Cloud>, requests: WatchingRequest[]): Promise<void> {
  const ids = requests.map(({ requestId }) => requestId);
  const woken = await db.$queryRaw<Notification[]>`
    UPDATE requests r SET next_run_at = now(), wake = r.wake + 1, watch = NULL
    WHERE id = ANY(${ids}::uuid[]) AND ${isWatched(kinds)} RETURNING id, account_id AS "accountId", wake`;
  notifier.notify(...woken);
}
