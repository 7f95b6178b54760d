import { type RequestHandler, Router } from "express";
import type { AppContext } from "./http/context.js";

/** Routes that report liveness and readiness. Readiness needs the database; Redis is reported only. */
export function health({ db, redis }: AppContext): RequestHandler {
  const ready: RequestHandler = async (_input, res) => {
    const database = await db.$queryRaw`SELECT 1`.then(
      () => true,
      () => false,
    );
    res.status(database ? 200 : 503).json({ ready: database, database, redis: redis?.status === "ready" });
  };
  return Router()
    .get("/health/live", (_input, res) => void res.json({ live: true }))
    .get("/health/ready", ready);
}
