import { type RequestHandler, Router } from "express";
import type { ApiReadiness } from "./readiness.js";

/** Routes that report liveness and readiness to anyone. */
export function health(readiness: () => Promise<ApiReadiness>): RequestHandler {
  return Router()
    .get("/health/live", (_input, res) => void res.json({ live: true }))
    .get("/health/ready", async (_input, res) => {
      const report = await readiness();
      res.status(report.ready ? 200 : 503).json(report);
    });
}
