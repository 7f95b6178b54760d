import { Counter, Gauge } from "prom-client";
import { processRegistry } from "./registries.js";

const registers = [processRegistry];

export const processInfo = new Gauge({
  name: "gantry_info",
  help: "Always 1. The labels name the app, `api` or `worker`, and its version.",
  labelNames: ["app", "version"],
  registers,
});

export const ready = new Gauge({
  name: "gantry_ready",
  help: "1 if `/health/ready` returns 200, else 0.",
  registers,
});

const databaseConnections = new Gauge({
  name: "gantry_database_connections",
  help: "The process's connections to PostgreSQL. The label `state` is `used` or `idle`.",
  labelNames: ["state"],
  registers,
});

const databaseWaiters = new Gauge({
  name: "gantry_database_waiters",
  help: "The statements that wait for a connection to PostgreSQL.",
  registers,
});

export const requestsCreated = new Counter({
  name: "gantry_requests_created_total",
  help: "The Requests that the process created: an API for its callers, a worker as children.",
  labelNames: ["type"],
  registers,
});

/** Shows the use of the process's connections to PostgreSQL. */
export function showConnections({ used, idle, waiting }: { used: number; idle: number; waiting: number }): void {
  databaseConnections.set({ state: "used" }, used);
  databaseConnections.set({ state: "idle" }, idle);
  databaseWaiters.set(waiting);
}
