import { type RequestHandler, Router } from "express";
import type { AppContext } from "./http/context.js";

const REMEMBERED_MS = 1000;

/** Routes that report liveness and readiness. Readiness needs the database; Redis is reported only. */
export function health({ db, redis }: AppContext): RequestHandler {
  let known: { database: Promise<boolean>; at: number } | undefined;
  // However often anybody asks, the database is asked once a second.
  const isDatabaseReady = () => {
    if (!known || Date.now() - known.at > REMEMBERED_MS) {
      const database = db.$queryRaw`SELECT 1`.then(
        () => true,
        () => false,
      );
      known = { database, at: Date.now() };
    }
    return known.database;
  };
  const ready: RequestHandler = async (_input, res) => {
    const database = await isDatabaseReady();
    res.status(database ? 200 : 503).json({ ready: database, database, redis: redis?.status === "ready" });
  };
  return Router()
    .get("/health/live", (_input, res) => void res.json({ live: true }))
    .get("/health/ready", ready);
}
