import { repeat } from "@gantry/runtime";
import { retryLeaks } from "../engine/leaks.js";
import type { Service } from "./service.js";

const INTERVAL_MS = 30_000;

/** Tries again to remove what Requests left behind, when it is due. Several workers may do so at once. */
export const leakRetries: Service<"db" | "jobs" | "log"> = ({ db, jobs, log }) =>
  repeat({ everyMs: INTERVAL_MS, log, name: "removal of leaked resources" }, () => retryLeaks(db, jobs)).stop;
