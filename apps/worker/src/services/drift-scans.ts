import { repeat } from "@gantry/runtime";
import { scanDrift } from "../drift/scanner.js";
import type { Service } from "./service.js";

/** The longest interval between two scans of a worker. */
const MAX_INTERVAL_SECONDS = 30;

/** Compares AWS with the records, unless DRIFT_SECONDS is 0. Several workers may scan at once: one worker holds a region. */
export const driftScans: Service<"engine" | "log" | "env"> = ({ engine, log, env }) => {
  const { DRIFT_SECONDS: periodSeconds, DRIFT_CALLS: calls, DRIFT_QUIET_SECONDS: quietSeconds } = env;
  if (periodSeconds === 0) return async () => {};
  const everyMs = Math.min(MAX_INTERVAL_SECONDS, periodSeconds) * 1000;
  const limits = { periodSeconds, calls, quietSeconds };
  const { run, stop } = repeat({ everyMs, log, name: "drift scan" }, () => scanDrift(engine, limits));
  run();
  return stop;
};
