import { collectDefaultMetrics, Registry } from "prom-client";

/** The metrics of every process. */
export const processRegistry = new Registry();

/** The metrics of an API process. */
export const apiRegistry = new Registry();

/** The metrics of the whole installation, which every API reads from PostgreSQL and Redis. */
export const installationRegistry = new Registry();

/** The metrics of a worker process. */
export const workerRegistry = new Registry();

let collectsNode = false;

/** Adds Node's own metrics to those of the process: CPU, memory, garbage collection and the event loop's delay. */
export function collectNodeMetrics(): void {
  if (collectsNode) return;
  collectsNode = true;
  collectDefaultMetrics({ register: processRegistry });
}
