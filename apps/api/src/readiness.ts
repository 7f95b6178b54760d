import { requireWrites } from "@gantry/db";
import { pausedQueues, QUEUE } from "@gantry/queue";
import { readHorizon } from "@gantry/resources";
import { sharedRead } from "@gantry/runtime";
import type { Readiness } from "@gantry/telemetry";
import type { AppContext } from "./http/context.js";

const REMEMBERED_MS = 1000;
const OLDEST_HORIZON_SECONDS = 60;

/** What `/health/ready` returns. */
export interface ApiReadiness extends Readiness {
  /** Whether the database serves reads. */
  database: boolean;
  /** Whether the database accepts writes. */
  writable: boolean;
  redis: boolean;
  /** The time for which an unfinished transaction has held back all later events. */
  event_horizon_seconds: number;
  /** The names of the paused queues; null if Redis does not answer. */
  paused_queues: string[] | null;
  degraded: string[];
}

/**
 * Returns the function that reads the readiness of this API. It needs a database that accepts writes; Redis,
 * and reasons why something is slow or late, are only reported. The function reads at most once a second, however often it is called.
 *
 * @param oldestHorizonSeconds how long events may be held back before readiness reports it
 */
export function readinessOf(
  { db, redis, env, log }: Pick<AppContext, "db" | "redis" | "env" | "log">,
  oldestHorizonSeconds = OLDEST_HORIZON_SECONDS,
): () => Promise<ApiReadiness> {
  let latest: { readiness: Promise<ApiReadiness>; at: number } | undefined;
  let wasPaused = false;
  let held: { horizon: bigint; since: number } | undefined;

  const readHeldBack = sharedRead(async () => {
    const { horizon, end } = await readHorizon(db);
    if (horizon >= end) held = undefined;
    else if (held?.horizon !== horizon) held = { horizon, since: performance.now() };
    return held ? Math.floor((performance.now() - held.since) / 1000) : 0;
  });
  const readWritable = sharedRead(() => requireWrites(db).then(() => true));
  const readPaused = async (): Promise<string[] | undefined> => {
    if (redis?.status !== "ready") return undefined;
    const paused = await pausedQueues(redis, env.QUEUE_PREFIX).catch(() => undefined);
    const isPaused = paused?.includes(QUEUE) ?? wasPaused;
    if (isPaused && !wasPaused) log.warn("request queue paused; no requests run");
    if (!isPaused && wasPaused) log.info("request queue resumed");
    wasPaused = isPaused;
    return paused;
  };
  const read = async (): Promise<ApiReadiness> => {
    const [heldBack, writable = false, paused] = await Promise.all([readHeldBack(), readWritable(), readPaused()]);
    const database = heldBack !== undefined;
    const horizonSeconds = heldBack ?? 0;
    return {
      ready: database && writable,
      database,
      writable,
      redis: paused !== undefined,
      event_horizon_seconds: horizonSeconds,
      paused_queues: paused ?? null,
      degraded: [
        ...(horizonSeconds > oldestHorizonSeconds ? ["events_held_back"] : []),
        ...(paused?.includes(QUEUE) ? ["requests_paused"] : []),
      ],
    };
  };
  return () => {
    if (!latest || Date.now() - latest.at > REMEMBERED_MS) latest = { readiness: read(), at: Date.now() };
    return latest.readiness;
  };
}
