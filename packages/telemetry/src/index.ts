export type { Gauge } from "prom-client";
export * from "./metrics/api.metrics.js";
export * from "./metrics/installation.metrics.js";
export { type MetricRow, metricTables } from "./metrics/metric-tables.js";
export { type Observed, type Readiness, serveMetrics } from "./metrics/metrics-server.js";
export * from "./metrics/process.metrics.js";
export { apiRegistry, installationRegistry, processRegistry, workerRegistry } from "./metrics/registries.js";
export * from "./metrics/worker.metrics.js";
