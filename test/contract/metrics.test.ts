import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { metricTables, serveMetrics } from "@gantry/telemetry";
import { createCaller } from "../support/api.js";
import { type LiveGantry, startLiveGantry } from "../support/live.js";
import { testLog } from "../support/stack.js";
import { until } from "../support/until.js";

const info = jest.spyOn(testLog, "info");
let gantry: LiveGantry;
let stopMetrics: () => Promise<void>;
const urls = { api: "", worker: "" };
/** The worker's samples before the Request: other tests of this process count there too. */
let before: Sample[];
beforeAll(async () => {
  gantry = await startLiveGantry({ METRICS_PORT: "0" });
  urls.worker = await until(async () => listening());
  info.mockClear();
  stopMetrics = await serveMetrics(gantry.api.env, gantry.api.observed, testLog);
  urls.api = listening() ?? "";
  const { providerId: provider } = await gantry.addProvider();
  before = (await scrape("worker")).samples;
  const network = { location: "us-east-1", cidr: "10.0.0.0/16" };
  await gantry.done(await gantry.owner.post("/networks", { provider, network }));
});
afterAll(async () => {
  await stopMetrics();
  await gantry.close();
});

/** The address of the last server that logged that it listens. */
function listening(): string | undefined {
  const calls = info.mock.calls as unknown as [{ host: string; port: number }, string][];
  const [facts] = calls.filter(([, message]) => message === "metrics listening").at(-1) ?? [];
  return facts && `http://${facts.host}:${facts.port}`;
}

interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

async function scrape(app: keyof typeof urls): Promise<{ names: string[]; samples: Sample[] }> {
  const response = await fetch(`${urls[app]}/metrics`);
  expect([response.status, response.headers.get("content-type")]).toEqual([200, expect.stringMatching("^text/plain")]);
  const text = await response.text();
  const samples = [...text.matchAll(/^(\w+)(?:\{(.*)\})? (\S+)$/gm)].map(([, name = "", labels = "", value]) => ({
    name,
    labels: Object.fromEntries([...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, text]) => [key, text])),
    value: Number(value),
  }));
  return { names: [...text.matchAll(/^# TYPE (\w+)/gm)].map(([, name = ""]) => name), samples };
}

it.each(["api", "worker"] as const)("exports exactly the documented metrics of its own: %s", async (app) => {
  const { names } = await scrape(app);
  const { installation, api, worker, process } = metricTables();
  const own = app === "api" ? [...installation, ...api] : worker;
  const expected = [...process, ...own].map(({ name }) => name);
  expect(names.filter((name) => name.startsWith("gantry_")).sort()).toEqual(expected.sort());
  expect(names).toContain("nodejs_eventloop_lag_p99_seconds");
  const page = await readFile(fileURLToPath(new URL("../../docs/metrics.md", import.meta.url)), "utf8");
  expect(expected.filter((name) => !page.includes(`| \`${name}\` `))).toEqual([]);
});

it("counts and times the Request that it provisioned, its stages and its calls to AWS", async () => {
  const { samples } = await scrape("worker");
  const sum = (all: Sample[], name: string, labels: Record<string, string>) =>
    all
      .filter(
        (sample) =>
          sample.name === name && Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
      )
      .reduce((total, { value }) => total + value, 0);
  const now = (name: string, labels: Record<string, string> = {}) => sum(samples, name, labels);
  const added = (name: string, labels: Record<string, string>) => now(name, labels) - sum(before, name, labels);
  const type = "provision_network";
  expect(added("gantry_request_duration_seconds_count", { type, result: "successful" })).toBe(1);
  expect(added("gantry_request_start_delay_seconds_count", { type })).toBe(1);
  expect(added("gantry_request_runs_total", { type, result: "ended" })).toBe(1);
  expect(added("gantry_stage_duration_seconds_count", { type })).toBe(1);
  expect(added("gantry_aws_call_duration_seconds_count", { service: "ec2", action: "CreateVpc", outcome: "ok" })).toBe(
    1,
  );
  expect(added("gantry_requests_created_total", { type })).toBe(1);
  expect(now("gantry_info", { app: "worker" })).toBe(1);
  expect(now("gantry_worker_slots")).toBe(gantry.api.env.WORKER_CONCURRENCY);
  expect(now("gantry_ready")).toBe(1);
});

it("does not count the statement of a scrape as one that waits", async () => {
  const waiters = async () =>
    (await scrape("worker")).samples.find(({ name }) => name === "gantry_database_waiters")?.value;
  await until(async () => (await waiters()) === 0);
});

it("times calls by the pattern of their route", async () => {
  await gantry.owner.get("/networks/0190c4a2-1111-7111-8111-111111111111");
  await gantry.owner.get("/nothing/here");
  const staff = await createCaller(gantry.api, { staff: true });
  await staff.get("/queues");
  const { samples } = await scrape("api");
  const counts = samples.filter(({ name }) => name === "gantry_http_request_duration_seconds_count");
  expect(counts.map(({ labels }) => labels)).toEqual(
    expect.arrayContaining([
      { method: "POST", route: "/networks", status: "200" },
      { method: "GET", route: "/networks/:network", status: "404" },
      { method: "GET", route: "none", status: "404" },
      { method: "GET", route: "/queues/", status: "200" },
    ]),
  );
});

it("has no id in a label", async () => {
  const samples = [...(await scrape("api")).samples, ...(await scrape("worker")).samples];
  const own = samples.filter(({ name }) => name.startsWith("gantry_"));
  const values = own.flatMap(({ labels: { le, status, ...others } }) => Object.values(others));
  expect(values).toContain("/networks");
  // The end of a UUID or of an id of AWS, or only a number. A version has dots.
  expect(values.filter((value) => /-[\da-f]{8,}|(^|\/)\d+(\/|$)/.test(value))).toEqual([]);
});

it("says that a worker is alive and ready, and that it has no other paths", async () => {
  const read = async (path: string) => {
    const response = await fetch(`${urls.worker}${path}`);
    return [response.status, await response.json()];
  };
  expect(await read("/health/live")).toEqual([200, { live: true }]);
  expect(await read("/health/ready")).toEqual([
    200,
    { ready: true, database: true, writable: true, redis: true, stopping: false },
  ]);
  expect(await read("/")).toEqual([404, { errors: ["this port serves /metrics, /health/live and /health/ready"] }]);
});
