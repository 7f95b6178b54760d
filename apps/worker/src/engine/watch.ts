import { Prisma } from "@gantry/db";
import type { Engine } from "./engine.js";
import { classifyError } from "./error-policy.js";
import type { Watched } from "./wait.js";

/** The most objects in one describe call. */
const MAX_BATCH = 100;
/** The most describe calls for one group in one round, so that no group delays the others. */
const CALLS_PER_ROUND = 10;
const GROUPS_PER_ROUND = 20;

/** The condition under which a Request sleeps and a worker with these kinds can check its watch, as SQL on `requests r`. */
export function isWatched<Cloud>(kindsByName: Engine<Cloud>["kinds"]): Prisma.Sql {
  const kinds = [...kindsByName.values()].filter(({ describeStates }) => describeStates).map(({ kind }) => kind);
  return Prisma.sql`(r.finished_at IS NULL AND r.lease_until IS NULL AND (r.watch->>'wake')::int = r.wake
    AND r.watch->>'kind' = ANY(${kinds}))`;
}

/** The objects that one call can describe. */
type WatchGroup = Pick<Watched, "providerId" | "region" | "kind"> & { accountId: string };

type WatchingRequest = Pick<Watched, "id" | "seen"> & { requestId: string; isOver: boolean };

/**
 * Describes the objects that sleeping Requests wait for, 100 in a call, and wakes the Requests when their object has changed or
 * their time is over. Any number of workers may do so at the same time.
 *
 * @returns whether more watches are due
 */
export async function checkWatches<Cloud>(engine: Engine<Cloud>): Promise<boolean> {
  const groups = await engine.db.$queryRaw<WatchGroup[]>`
    SELECT account_id AS "accountId", (watch->>'providerId')::int AS "providerId", watch->>'region' AS region,
      watch->>'kind' AS kind
    FROM requests r WHERE ${isWatched(engine.kinds)} AND next_run_at <= now()
    GROUP BY 1, 2, 3, 4 ORDER BY min(next_run_at) LIMIT ${GROUPS_PER_ROUND}`;
  const remaining = await Promise.all(groups.map((group) => checkGroup(engine, group)));
  return remaining.some((isMore) => isMore);
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
 * Returns the Requests whose check has been due longest and sets the time of their next one. The batch is empty if none
 * is due, and else filled up with Requests that are due soon, so that the Requests of one group share their calls.
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

/** Returns the objects' states by id; undefined if their Requests must run to fail by themselves. */
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
    engine.log.warn({ err: error, providerId, region, kind }, "describing watched objects failed");
    // After an error that may pass the states count as unchanged until the next check.
    return outcome.kind === "permanent" ? undefined : new Map(requests.map(({ id, seen }) => [id, seen]));
  }
}

async function wakeUp<Cloud>({ db, jobs, kinds }: Engine<Cloud>, requests: WatchingRequest[]): Promise<void> {
  const ids = requests.map(({ requestId }) => requestId);
  const woken = await db.$queryRaw<{ id: string }[]>`
    UPDATE requests r SET next_run_at = now(), wake = r.wake + 1, watch = NULL
    WHERE id = ANY(${ids}::uuid[]) AND ${isWatched(kinds)} RETURNING id`;
  jobs.wake(...woken.map(({ id }) => id));
}
