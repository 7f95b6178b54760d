import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { freePort } from "@gantry/local-stack";
import { connectRedis, QUEUE } from "@gantry/queue";
import { Queue } from "bullmq";
import { stringify } from "yaml";
import { type BenchEnvironment, REGION, startBenchEnvironment } from "../load/bench-environment.js";
import { API, bundle, WORKER } from "../load/build.js";
import { installDebianPackage } from "../support/debian-package.js";
import { until } from "../support/until.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const rules = join(root, "deploy/prometheus/rules.yaml");
const { panels } = JSON.parse(readFileSync(join(root, "deploy/grafana/gantry.json"), "utf8")) as {
  panels: { title: string; targets?: { expr: string }[] }[];
};
const run = promisify(execFile);

let folder: string;
let bench: BenchEnvironment;
let apiUrl: string;
let prometheus: ReturnType<typeof spawn> | undefined;
let prometheusUrl: string;
const ports = { api: 0, worker: 0 };

beforeAll(async () => {
  const reason = installDebianPackage("prometheus", "/usr/bin/promtool");
  if (reason) throw new Error(`Prometheus is missing: ${reason}`);
  folder = mkdtempSync(join(tmpdir(), "gantry-prometheus-"));
  bundle();
  bench = await startBenchEnvironment();
  for (const app of ["api", "worker"] as const) ports[app] = await freePort();
  const metricsPort = (app: keyof typeof ports) => ({ METRICS_PORT: String(ports[app]) });
  ({ url: apiUrl } = await bench.launch(API, [], metricsPort("api")));
  await bench.launch(WORKER, [], metricsPort("worker"));
  const config = {
    global: { scrape_interval: "1s", evaluation_interval: "1s" },
    rule_files: [rules],
    scrape_configs: [
      { job_name: "gantry", static_configs: [{ targets: Object.values(ports).map((port) => `127.0.0.1:${port}`) }] },
    ],
  };
  writeFileSync(join(folder, "prometheus.yaml"), stringify(config));
  const port = await freePort();
  prometheusUrl = `http://127.0.0.1:${port}`;
  prometheus = spawn(
    "/usr/bin/prometheus",
    [
      `--config.file=${join(folder, "prometheus.yaml")}`,
      `--storage.tsdb.path=${join(folder, "data")}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { stdio: "ignore" },
  );
});
afterAll(async () => {
  if (prometheus?.exitCode === null) {
    prometheus.kill();
    await once(prometheus, "exit");
  }
  await bench?.stop();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

async function ask<Data>(path: string, parameters: Record<string, string> = {}): Promise<Data> {
  const response = await fetch(`${prometheusUrl}/api/v1/${path}?${new URLSearchParams(parameters)}`);
  const { status, data, error } = (await response.json()) as { status: string; data: Data; error?: string };
  if (status !== "success") throw new Error(`${parameters.query ?? path}: ${error}`);
  return data;
}

interface Vector {
  result: { metric: Record<string, string>; value: [number, string] }[];
}

const readNumber = async (query: string) =>
  Number((await ask<Vector>("query", { query })).result[0]?.value[1] ?? Number.NaN);

const metricsOf = async (port: number) => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();

/** Gantry's series that a query reads, such as `gantry_requests_due` or `gantry_request_runs_total{result="broken"}`. */
const selectorsIn = (query: string): string[] => query.match(/gantry_\w+(\{[^}]*\})?/g) ?? [];
const nameIn = (selector: string) => selector.replace(/\{.*/, "");

async function post(path: string, body: object): Promise<void> {
  const headers = { Authorization: `Bearer ${bench.token}`, "Content-Type": "application/json" };
  const { status } = await fetch(`${apiUrl}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  expect(status).toBe(200);
}

it("has rules that promtool accepts, and whose tests pass", async () => {
  await run("promtool", ["check", "rules", rules]);
  await run("promtool", ["test", "rules", join(root, "deploy/prometheus/rules.test.yaml")]);
});

it("exports metrics that promtool accepts", async () => {
  for (const port of Object.values(ports)) {
    const text = await metricsOf(port);
    const own = text.split("\n").filter((line) => / ?gantry_/.test(line));
    const linting = run("promtool", ["check", "metrics"]);
    linting.child.stdin?.end(`${own.join("\n")}\n`);
    await linting;
  }
});

it("is scraped by a real Prometheus, which sees a Request end", async () => {
  await until(async () => (await readNumber("sum(up)").catch(() => 0)) === 2);
  await post("/networks", { provider: bench.providerId, network: { location: REGION, cidr: "10.0.0.0/16" } });
  const ended = 'sum(gantry_request_duration_seconds_count{type="provision_network", result="successful"})';
  await until(async () => (await readNumber(ended)) === 1);
  expect(await readNumber("max(gantry_workers)")).toBe(1);
});

it("shows the first failure of a type on the dashboard", async () => {
  const credentials = { role_arn: "arn:aws:iam::999999999999:role/none" };
  await post(`/accounts/${bench.accountId}/providers`, { provider: { type: "aws", credentials } });
  const [query = ""] = panels.flatMap(({ title, targets = [] }) =>
    title === "Failed Requests by type, an hour" ? targets.map(({ expr }) => expr) : [],
  );
  await until(async () => (await readNumber(query)) === 1);
});

it("evaluates each rule and each panel of the dashboard", async () => {
  const evaluated = await until(async () => {
    const { groups } = await ask<{ groups: { rules: { name: string; health: string }[] }[] }>("rules");
    const found = groups.flatMap((group) => group.rules);
    return found.every(({ health }) => health !== "unknown") && found;
  });
  expect(evaluated.length).toBeGreaterThan(5);
  expect(evaluated.filter(({ health }) => health !== "ok")).toEqual([]);
  const queries = panels.flatMap(({ targets = [] }) =>
    targets.map(({ expr }) => expr.replaceAll("$__rate_interval", "1m")),
  );
  expect(queries.length).toBeGreaterThan(30);
  const exported = (await Promise.all(Object.values(ports).map(metricsOf))).join("\n");
  const names = new Set(Array.from(exported.matchAll(/^# TYPE (\w+)/gm), ([, name]) => name));
  const isExported = (name: string) => names.has(name) || names.has(name.replace(/_(bucket|sum|count)$/, ""));
  expect(queries.flatMap(selectorsIn).filter((selector) => !isExported(nameIn(selector)))).toEqual([]);

  const isEmpty = async (query: string) => (await ask<Vector>("query", { query })).result.length === 0;
  const lacksValue = async (query: string) => {
    if (query.endsWith(" > 0") || !(await isEmpty(query))) return false;
    // Nothing is throttled here, for example, and there is no webhook: such series do not exist.
    const absences = await Promise.all(selectorsIn(query).map(isEmpty));
    return !absences.includes(true);
  };
  await until(async () => !(await Promise.all(queries.map(lacksValue))).includes(true));
});

it("has an alert pending as soon as a fault is there, and none before", async () => {
  const pending = async () => (await ask<Vector>("query", { query: 'ALERTS{alertname="GantryQueuePaused"}' })).result;
  expect(await pending()).toEqual([]);
  const connection = connectRedis(bench.redisUrl);
  const queue = new Queue(QUEUE, { connection, prefix: "{gantry}" });
  await queue.pause();
  const alerts = await until(async () => {
    const found = await pending();
    return found.length > 0 && found;
  });
  expect(alerts.map(({ metric }) => [metric.queue, metric.alertstate])).toEqual([[QUEUE, "pending"]]);
  await queue.close();
  connection.disconnect();
});
