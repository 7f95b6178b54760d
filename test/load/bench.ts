import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { type BenchEnvironment, type LaunchedProcess, REGION, startBenchEnvironment } from "./bench-environment.js";
import { measureBoot } from "./boot.js";
import { measureLists } from "./lists.js";
import { measureProvision } from "./provision.js";
import { measureTraffic } from "./traffic.js";

type Results = Record<string, number>;

/** The wanted ratios; a figure without one is there to be read beside them. */
const GOALS: Record<string, { least?: number; most?: number }> = {
  provision_ratio: { most: 1.6 },
  provision_ratio_100ms: { most: 1.05 },
  first_aws_call_p50_ms: { most: 15 },
  read_ratio: { least: 0.8 },
  accept_ratio: { least: 0.5 },
  boot_ratio: { most: 1.3 },
  list_page_ratio: { most: 2 },
  list_page_of_100_ratio: { most: 2 },
  list_last_page_ratio: { most: 2 },
  list_of_environment_ratio: { most: 2 },
  list_by_role_ratio: { most: 2 },
};

const BENCHMARKS = { provision, read, accept, lists, boot };

const { values } = parseArgs({
  options: { only: { type: "string", multiple: true }, profile: { type: "string" } },
});
const parts = values.only ?? Object.keys(BENCHMARKS);
for (const part of parts) {
  if (!Object.hasOwn(BENCHMARKS, part))
    throw new Error(`There is no part "${part}": ${Object.keys(BENCHMARKS).join(", ")}.`);
}

const stage = await startBenchEnvironment(values.profile);
const results: Results = {};
try {
  const api = await stage.launch("apps/api/src/main.ts");
  for (const part of parts) Object.assign(results, await BENCHMARKS[part as keyof typeof BENCHMARKS](stage, api));
} finally {
  await stage.stop();
}
await writeFile("bench-results.json", `${JSON.stringify(results, null, 2)}\n`);
print(results);

async function provision(bench: BenchEnvironment, api: LaunchedProcess): Promise<Results> {
  const worker = await bench.launch("apps/worker/src/main.ts");
  const plain = await measureProvision(bench, api.url, { rounds: 25, delayMs: 0 });
  const slow = await measureProvision(bench, api.url, { rounds: 15, delayMs: 100 });
  await worker.stop();
  return {
    provision_ratio: plain.gantryMs / plain.scriptMs,
    provision_gantry_ms: plain.gantryMs,
    provision_script_ms: plain.scriptMs,
    provision_ratio_100ms: slow.gantryMs / slow.scriptMs,
    provision_gantry_100ms_ms: slow.gantryMs,
    provision_script_100ms_ms: slow.scriptMs,
    first_aws_call_p50_ms: plain.firstCallMs.p50,
    first_aws_call_p99_ms: plain.firstCallMs.p99,
  };
}

async function read(bench: BenchEnvironment, api: LaunchedProcess): Promise<Results> {
  const { db, accountId, providerId, launch } = bench;
  const { id } = await db.network.create({
    data: { id: randomUUID(), accountId, providerId, location: REGION, cidr: "10.0.0.0/16" },
  });
  const baseline = await launch("test/load/baselines/server.ts", ["read"]);
  const bare = await launch("test/load/baselines/server.ts", ["read-bare"]);
  const headers = { authorization: `Bearer ${bench.token}` };
  const target = ({ url }: LaunchedProcess) => ({ input: { url: `${url}/networks/${id}`, headers } });
  const targets = { gantry: target(api), baseline: target(baseline), bare: target(bare) };
  const seen = await measureTraffic(targets, { rounds: 11, seconds: 1 });
  await Promise.all([baseline.stop(), bare.stop()]);
  return {
    read_ratio: seen.gantry.perSecond / seen.baseline.perSecond,
    read_ratio_bare: seen.gantry.perSecond / seen.bare.perSecond,
    read_gantry_per_second: seen.gantry.perSecond,
    read_baseline_per_second: seen.baseline.perSecond,
    read_bare_per_second: seen.bare.perSecond,
    read_gantry_p99_ms: seen.gantry.p99Ms,
    read_baseline_p99_ms: seen.baseline.p99Ms,
  };
}

/** No worker runs meanwhile: what is accepted waits. */
async function accept(bench: BenchEnvironment, api: LaunchedProcess): Promise<Results> {
  const { accountId, userId, providerId, token, launch, clear } = bench;
  const baseline = await launch("test/load/baselines/server.ts", ["accept", accountId, userId]);
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const body = JSON.stringify({ provider: providerId, network: { cidr: "10.0.0.0/16", location: REGION } });
  const target = ({ url }: LaunchedProcess) => ({
    input: { url: `${url}/networks`, method: "POST" as const, headers, body },
    before: clear,
  });
  const seen = await measureTraffic({ gantry: target(api), baseline: target(baseline) }, { rounds: 13, seconds: 1 });
  await baseline.stop();
  return {
    accept_ratio: seen.gantry.perSecond / seen.baseline.perSecond,
    accept_gantry_per_second: seen.gantry.perSecond,
    accept_baseline_per_second: seen.baseline.perSecond,
    accept_gantry_p99_ms: seen.gantry.p99Ms,
    accept_baseline_p99_ms: seen.baseline.p99Ms,
  };
}

async function lists(bench: BenchEnvironment, api: LaunchedProcess): Promise<Results> {
  const figures = await measureLists(bench, api.url);
  return Object.fromEntries(
    Object.entries(figures).flatMap(([name, { fewMs, manyMs }]) => [
      [`list_${name}_ratio`, manyMs / fewMs],
      [`list_${name}_ms`, manyMs],
    ]),
  );
}

async function boot(bench: BenchEnvironment, api: LaunchedProcess): Promise<Results> {
  const worker = await bench.launch("apps/worker/src/main.ts", [], { BASE_URL: api.url });
  const seen = await measureBoot(bench, api.url, { rounds: 11, delayMs: 0 });
  const slow = await measureBoot(bench, api.url, { rounds: 5, delayMs: 100 });
  await worker.stop();
  return {
    boot_ratio: seen.gantryMs / seen.scriptMs,
    boot_gantry_ms: seen.gantryMs,
    boot_script_ms: seen.scriptMs,
    boot_ratio_100ms: slow.gantryMs / slow.scriptMs,
    boot_gantry_100ms_ms: slow.gantryMs,
    boot_script_100ms_ms: slow.scriptMs,
    boot_gantry_calls: seen.gantryCalls,
    boot_script_calls: seen.scriptCalls,
  };
}

function print(figures: Results): void {
  console.log(`${"figure".padEnd(30)}${"measured".padStart(10)}${"goal".padStart(10)}  met`);
  for (const [name, value] of Object.entries(figures)) {
    const { least, most } = GOALS[name] ?? {};
    const goal = least !== undefined ? `≥ ${least}` : most !== undefined ? `≤ ${most}` : "";
    const isMet = value >= (least ?? -Infinity) && value <= (most ?? Infinity);
    const digits = value < 10 ? 2 : value < 1000 ? 1 : 0;
    console.log(
      `${name.padEnd(30)}${value.toFixed(digits).padStart(10)}${goal.padStart(10)}  ${goal && (isMet ? "yes" : "no")}`,
    );
  }
}
