import { pausedQueues, QUEUE } from "@gantry/requests";
import { readHorizon } from "@gantry/resources";
import { type RequestHandler, Router } from "express";
import type { AppContext } from "./http/context.js";

const REMEMBERED_MS = 1000;
const OLDEST_HORIZON_SECONDS = 60;

interface Readiness {
  database: boolean;
  /** The time for which an unfinished transaction has held back all later events. */
  horizonSeconds: number;
  /** The names of the paused queues; undefined if Redis does not answer. */
  paused?: string[] | undefined;
}

/**
 * Routes that report liveness and readiness. Readiness needs the database; Redis, and reasons why something is slow or late,
 * are reported only.
 *
 * @param oldestHorizonSeconds how long events may be held back before readiness reports it
 */
export function health(
  { db, redis, env, log }: Pick<AppContext, "db" | "redis" | "env" | "log">,
  oldestHorizonSeconds = OLDEST_HORIZON_SECONDS,
): RequestHandler {
  let known: { readiness: Promise<Readiness>; at: number } | undefined;
  let wasPaused = false;
  let held: { horizon: bigint; since: number } | undefined;

  const readHeldBack = async (): Promise<Readiness> => {
    const { horizon, end } = await readHorizon(db);
    if (horizon >= end) held = undefined;
    else if (held?.horizon !== horizon) held = { horizon, since: performance.now() };
    return { database: true, horizonSeconds: held ? Math.floor((performance.now() - held.since) / 1000) : 0 };
  };
  const readPaused = async (): Promise<string[] | undefined> => {
    if (redis?.status !== "ready") return undefined;
    const paused = await pausedQueues(redis, env.QUEUE_PREFIX).catch(() => undefined);
    const isPaused = paused?.includes(QUEUE) ?? wasPaused;
    if (isPaused && !wasPaused) log.warn("request queue paused; no requests run");
    if (!isPaused && wasPaused) log.info("request queue resumed");
    wasPaused = isPaused;
    return paused;
  };
  const read = async (): Promise<Readiness> => {
    const nothing: Readiness = { database: false, horizonSeconds: 0 };
    const [heldBack, paused] = await Promise.all([readHeldBack().catch(() => nothing), readPaused()]);
    return { ...heldBack, paused };
  };
  // The database and Redis are checked at most once a second, however often a client asks.
  const readiness = () => {
    if (!known || Date.now() - known.at > REMEMBERED_MS) known = { readiness: read(), at: Date.now() };
    return known.readiness;
  };
  const ready: RequestHandler = async (_input, res) => {
    const { database, horizonSeconds, paused } = await readiness();
    res.status(database ? 200 : 503).json({
      ready: database,
      database,
      redis: redis?.status === "ready",
      event_horizon_seconds: horizonSeconds,
      paused_queues: paused ?? null,
      degraded: [
        ...(horizonSeconds > oldestHorizonSeconds ? ["events_held_back"] : []),
        ...(paused?.includes(QUEUE) ? ["requests_paused"] : []),
      ],
    });
  };
  return Router()
    .get("/health/live", (_input, res) => void res.json({ live: true }))
    .get("/health/ready", ready);
}
