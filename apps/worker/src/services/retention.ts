import { repeat } from "@gantry/runtime";
import { removeOldDeliveries, removeOldEvents } from "../retention/event-retention.js";
import { runRetentionPass } from "../retention/retention.js";
import type { Service } from "./service.js";

const INTERVAL_MS = 60_000;

/** Removes old events and their ended deliveries. One worker at a time does so; the others skip the pass. */
export const eventRetention: Service<"db" | "log" | "env"> = ({ db, log, env: { EVENT_RETENTION_DAYS: days } }) =>
  repeat({ everyMs: INTERVAL_MS, log, name: "event cleanup" }, async () => {
    await removeOldEvents(db, days);
    await removeOldDeliveries(db, days);
  }).stop;

/**
 * Removes what ended more than REQUEST_RETENTION_DAYS ago, unless they are 0: Requests with their stages, messages and
 * rows of the ledger, alerts, and findings that no scan removes. One worker at a time does so, once an hour.
 */
export const requestRetention: Service<"db" | "log" | "env"> = ({ db, log, env: { REQUEST_RETENTION_DAYS: days } }) => {
  if (days === 0) return async () => {};
  const stopping = new AbortController();
  const repetition = repeat({ everyMs: INTERVAL_MS, log, name: "removal of ended requests" }, async () => {
    const start = performance.now();
    const count = await runRetentionPass(db, { days }, stopping.signal);
    const seconds = Math.round((performance.now() - start) / 1000);
    if (count) log.info({ count, seconds }, "ended requests removed");
  });
  return () => {
    stopping.abort();
    return repetition.stop();
  };
};
