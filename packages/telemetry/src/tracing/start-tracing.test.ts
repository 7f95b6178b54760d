import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createLog } from "@gantry/runtime";
import { startOtlpReceiver } from "@gantry/test/support/otlp-receiver";
import { until } from "@gantry/test/support/until";
import { insideRequest, parentSpanOf, recordRequest, type TracedRequest } from "./request-span.js";
import { currentSpan, isTracing, type Span, span, startSpan } from "./span.js";
import { startTracing, type TracingEnv } from "./start-tracing.js";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const CALLER = "00f067aa0ba902b7";

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

const log = createLog("test", "silent");

async function start(endpoint: string | undefined, settings: Partial<TracingEnv> = {}): Promise<() => Promise<void>> {
  const sampling = { OTEL_TRACES_SAMPLER: "parentbased_always_on", OTEL_TRACES_SAMPLER_ARG: 1 } as const;
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, ...sampling, SHUTDOWN_SECONDS: 15, ...settings };
  const stop = await startTracing(env, "gantry-test", log);
  cleanups.push(stop);
  return stop;
}

async function startCollector() {
  const collector = await startOtlpReceiver();
  cleanups.push(collector.close);
  return collector;
}

const inTrace = <T>(work: (span: Span | undefined) => Promise<T>, position?: string) =>
  span("outer", { parent: { traceId: TRACE, span: position } }, work);

const nothing = async () => {};

const request = (changes: Partial<TracedRequest> = {}): TracedRequest => ({
  id: "0193644e-9d5c-7c3a-8a51-5f0c2f6e4d11",
  type: "provision_network",
  accountId: "d3c1a1c2-0000-4000-8000-000000000000",
  resourceType: "network",
  resourceId: "n",
  traceId: TRACE,
  parentSpan: null,
  createdAt: new Date("2026-01-01T00:00:00.000Z"),
  ...changes,
});

it("sends spans with the given trace id, below the caller's span and each other", async () => {
  const collector = await startCollector();
  const stop = await start(collector.url);
  await inTrace(() => span("inner", { attributes: { is: true, count: 2, none: undefined } }, nothing), `${CALLER}-01`);
  await inTrace(nothing);
  await stop();
  const [inner, outer, root] = collector.spans;
  expect(root).toMatchObject({ traceId: TRACE, parentId: "" });
  expect(outer).toMatchObject({ name: "outer", traceId: TRACE, parentId: CALLER, service: "gantry-test" });
  expect(inner).toMatchObject({ name: "inner", traceId: TRACE, parentId: outer?.spanId });
  expect(inner?.attributes).toEqual({ is: true, count: 2 });
});

it("marks a span whose work failed with the class of the error and not with its message", async () => {
  const collector = await startCollector();
  const stop = await start(collector.url);
  const failed = new TypeError("canary-in-a-message");
  await expect(inTrace(() => Promise.reject(failed))).rejects.toBe(failed);
  await inTrace(nothing);
  await stop();
  expect(collector.spans.map(({ hasFailed }) => hasFailed)).toEqual([true, false]);
  expect(collector.spans[0]?.attributes).toEqual({ "error.type": "TypeError" });
  expect(collector.text()).not.toContain("canary");
});

it("does not record what goes on after its span has ended", async () => {
  const collector = await startCollector();
  const stop = await start(collector.url);
  const inner = await inTrace(async () => {
    const late = await span("inner", {}, async () => () => Promise.resolve().then(() => currentSpan()?.position));
    return { late, outer: currentSpan()?.position };
  });
  expect(await inner.late()).toBeUndefined();
  await stop();
  expect(collector.spans).toHaveLength(2);
});

it("continues below the span around one that has ended", async () => {
  const collector = await startCollector();
  const stop = await start(collector.url);
  const released = Promise.withResolvers<void>();
  await inTrace(async () => {
    const inner = await span("inner", {}, async () => ({
      later: released.promise.then(() => span("late", {}, nothing)),
    }));
    released.resolve();
    await inner.later;
  });
  await stop();
  const [, late, outer] = collector.spans;
  expect(late).toMatchObject({ name: "late", parentId: outer?.spanId });
});

it("records a Request from its acceptance on, above its runs and its children, whichever process ends it", async () => {
  const collector = await startCollector();
  const stop = await start(collector.url);
  const parentSpan = await inTrace(async () => parentSpanOf(undefined));
  const parent = request({ parentSpan });
  const run = { parent: insideRequest(parent) };
  const childSpan = await span("run", run, async () => parentSpanOf(parent.id));
  recordRequest(request({ id: "0193644e-9d5c-7c3a-8b51-5f0c2f6e4d12", parentSpan: childSpan }), { successful: false });
  recordRequest(parent, { successful: true });
  await stop();
  const [input, first, child, whole] = collector.spans;
  expect(whole).toMatchObject({ name: "request provision_network", parentId: input?.spanId, hasFailed: false });
  expect(whole?.startNs).toBe(BigInt(parent.createdAt.getTime()) * 1_000_000n);
  expect(first).toMatchObject({ name: "run", parentId: whole?.spanId });
  expect(child).toMatchObject({ parentId: whole?.spanId, hasFailed: true });
});

it.each([
  ["parentbased_always_on", "00", 0],
  ["parentbased_always_on", "01", 3],
  ["parentbased_always_off", undefined, 0],
  ["parentbased_always_off", "01", 3],
  ["always_on", "00", 3],
  ["always_off", "01", 0],
  ["traceidratio", "01", 0],
] as const)(
  "records all of a trace or nothing: sampler %s, the caller's flags %s",
  async (sampler, flags, expected) => {
    const collector = await startCollector();
    const stop = await start(collector.url, { OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG: 0 });
    const parentSpan = await inTrace(async () => parentSpanOf(undefined), flags && `${CALLER}-${flags}`);
    await span("run", { parent: insideRequest(request({ parentSpan })) }, nothing);
    recordRequest(request({ parentSpan }), { successful: true });
    await stop();
    expect(collector.spans).toHaveLength(expected);
  },
);

it("records nothing and loads no library without a collector", async () => {
  for (const endpoint of [undefined, ""]) {
    await start(endpoint);
    expect(isTracing()).toBe(false);
    expect(startSpan("outer", { parent: { traceId: TRACE } })).toBeUndefined();
    expect(await inTrace(async (begun) => begun ?? "no span")).toBe("no span");
    expect(parentSpanOf("0193644e-9d5c-7c3a-8a51-5f0c2f6e4d11")).toBeNull();
  }
  const [without, withCollector] = await loadedLibraries();
  expect([without, withCollector]).toEqual([0, expect.any(Number)]);
  expect(withCollector).toBeGreaterThan(0);
});

/** The number of OpenTelemetry's files that a process has loaded without a collector, and then with one. */
async function loadedLibraries(): Promise<number[]> {
  const index = new URL("../index.ts", import.meta.url).href;
  // Metrics load OpenTelemetry's API.
  const source = `
    import { createRequire } from "node:module";
    const { startTracing } = await import("${index}");
    const { cache } = createRequire(import.meta.url);
    const settings = { OTEL_TRACES_SAMPLER: "always_on", SHUTDOWN_SECONDS: 1 };
    for (const endpoint of [{}, { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9" }]) {
      await startTracing({ ...settings, ...endpoint }, "test", { warn() {} });
      console.log(Object.keys(cache).filter((file) => /@opentelemetry.(sdk|exporter|otlp)/.test(file)).length);
    }`;
  const cwd = fileURLToPath(new URL("../..", import.meta.url));
  const args = ["--conditions=gantry-source", "--import", "tsx", "--input-type=module", "--eval", source];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd });
  return stdout.trim().split("\n").map(Number);
}

async function listen(server: Server): Promise<string> {
  await once(server.listen(0, "127.0.0.1"), "listening");
  cleanups.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it("works on with a collector that refuses connections", async () => {
  const unused = createServer();
  const url = await listen(unused);
  await new Promise((resolve) => unused.close(resolve));
  const stop = await start(url, { SHUTDOWN_SECONDS: 0.5 });
  for (let i = 0; i < 2000; i++) expect(await inTrace(async () => i)).toBe(i);
  await stop();
});

it("logs once in a while that a collector refuses spans", async () => {
  let refused = 0;
  const collector = createServer((input, response) => {
    refused += 1;
    input.resume().once("end", () => response.writeHead(400).end());
  });
  const warn = jest.spyOn(log, "warn").mockClear();
  const stop = await start(await listen(collector), { SHUTDOWN_SECONDS: 0.5 });
  // A batch is sent when the one before has failed.
  await until(async () => {
    for (let i = 0; i < 512; i++) await inTrace(nothing);
    return refused >= 3;
  });
  await stop();
  expect(warn).toHaveBeenCalledTimes(1);
});

it("stops before a collector that never answers would let it", async () => {
  const warn = jest.spyOn(log, "warn").mockClear();
  const stop = await start(await listen(createServer()), { SHUTDOWN_SECONDS: 0.5 });
  await inTrace(nothing);
  await stop();
  // Spans that cannot be sent are logged when the exporter gives up.
  expect(warn).not.toHaveBeenCalled();
});
