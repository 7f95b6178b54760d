import { setTimeout as sleep } from "node:timers/promises";
import type { Env, Log } from "@gantry/runtime";
import { useRecorder } from "./span.js";

/** The longest part of a shutdown that waits for the last spans to be sent. */
const SHARE_OF_SHUTDOWN = 1 / 5;

export type TracingEnv = Pick<
  Env,
  "OTEL_EXPORTER_OTLP_ENDPOINT" | "OTEL_TRACES_SAMPLER" | "OTEL_TRACES_SAMPLER_ARG" | "SHUTDOWN_SECONDS"
>;

/**
 * Records traces and sends them to the collector, if one is set; loads OpenTelemetry only then. A collector that cannot
 * be reached loses spans and nothing else.
 *
 * @param service the name of the service unless the environment has another one
 * @returns a function that sends the last spans, within a fifth of a shutdown's time, and stops
 */
export async function startTracing(env: TracingEnv, service: string, log: Log): Promise<() => Promise<void>> {
  const endpoint = env.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (!endpoint) return async () => {};
  const { createRecorder } = await import("./open-telemetry.js");
  const { OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG: ratio } = env;
  const { recorder, stop } = createRecorder({ endpoint, service, sampler, ratio, log });
  useRecorder(recorder);
  return async () => {
    useRecorder(undefined);
    const limit = new AbortController();
    const { signal } = limit;
    const limitMs = env.SHUTDOWN_SECONDS * SHARE_OF_SHUTDOWN * 1000;
    await Promise.race([stop(), sleep(limitMs, undefined, { signal }).catch(() => {})]);
    limit.abort();
  };
}
