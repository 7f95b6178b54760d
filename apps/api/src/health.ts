import { readHorizon } from "@gantry/records";
import { type RequestHandler, Router } from "express";
import type { AppContext } from "./http/context.js";

const REMEMBERED_MS = 1000;
const OLDEST_HORIZON_SECONDS = 60;

interface Readiness {
  database: boolean;
  /** How long one unfinished transaction has held back all younger events. */
  horizonSeconds: number;
}

/**
 * Routes that report liveness and readiness. Readiness needs the database; Redis, and reasons why something is slow or late,
 * are reported only.
 *
 * @param oldestHorizonSeconds how long events may be held back before readiness says so
 */
export function health(
  { db, redis }: Pick<AppContext, "db" | "redis">,
  oldestHorizonSeconds = OLDEST_HORIZON_SECONDS,
): RequestHandler {
  let known: { readiness: Promise<Readiness>; at: number } | undefined;
  let held: { horizon: bigint; since: number } | undefined;

  const read = async (): Promise<Readiness> => {
    const { horizon, end } = await readHorizon(db);
    if (horizon >= end) held = undefined;
    else if (held?.horizon !== horizon) held = { horizon, since: performance.now() };
    return { database: true, horizonSeconds: held ? Math.floor((performance.now() - held.since) / 1000) : 0 };
  };
  // However often anybody asks, the database is asked once a second.
  const readiness = () => {
    if (!known || Date.now() - known.at > REMEMBERED_MS)
      known = { readiness: read().catch(() => ({ database: false, horizonSeconds: 0 })), at: Date.now() };
    return known.readiness;
  };
  const ready: RequestHandler = async (_input, res) => {
    const { database, horizonSeconds } = await readiness();
    res.status(database ? 200 : 503).json({
      ready: database,
      database,
      redis: redis?.status === "ready",
      event_horizon_seconds: horizonSeconds,
      degraded: horizonSeconds > oldestHorizonSeconds ? ["events_held_back"] : [],
    });
  };
  return Router()
    .get("/health/live", (_input, res) => void res.json({ live: true }))
    .get("/health/ready", ready);
}
