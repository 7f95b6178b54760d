import type { Registry } from "prom-client";
import { apiRegistry, installationRegistry, processRegistry, workerRegistry } from "./registries.js";

/** A metric as the documentation shows it. */
export interface MetricRow {
  name: string;
  type: string;
  labels: string[];
  help: string;
}

/** Returns every metric of Gantry, by the part that exports it. The metrics of Node.js are not included. */
export function metricTables(): Record<"installation" | "api" | "worker" | "process", MetricRow[]> {
  return {
    installation: rowsOf(installationRegistry),
    api: rowsOf(apiRegistry),
    worker: rowsOf(workerRegistry),
    process: rowsOf(processRegistry).filter(({ name }) => name.startsWith("gantry_")),
  };
}

function rowsOf(registry: Registry): MetricRow[] {
  // The objects also have the names of their labels, which the types leave out.
  const metrics = registry.getMetricsAsArray() as unknown as (MetricRow & { labelNames: string[] })[];
  return metrics.map(({ name, type, help, labelNames }) => ({ name, type, help, labels: [...labelNames] }));
}
