import { randomUUID } from "node:crypto";
import { readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { quit, readOptions, wholeNumber } from "../support/command.js";
import { type BenchEnvironment, type LaunchedProcess, REGION, startBenchEnvironment } from "./bench-environment.js";
import { measureBoot } from "./boot.js";
import { API, bundle, WORKER } from "./build.js";
import { measureCommand } from "./command.js";
import { measureAcceptance, measureRequest, measureStreams } from "./events.js";
import { type ListFigure, measureLists } from "./lists.js";
import { benchPeers } from "./peers/peers.js";
import { partsOf } from "./profile-parts.js";
import { measureProvision } from "./provision.js";
import { measureScale, printScale } from "./scale.js";
import { medianOf } from "./statistics.js";
import { measureBacklog, measureReceivingStreams } from "./streams.js";
import { measureTakeovers } from "./takeover.js";
import { measureTraffic } from "./traffic.js";
import { measureDeliveries } from "./webhooks.js";

type Results = Record<string, number>;
type Medians = { gantryMs: number; scriptMs: number };

/** The goals of the ratios; the other figures explain them. */
const GOALS: Record<string, { least?: number; most?: number }> = {
  provision_ratio: { most: 1.6 },
  provision_ratio_100ms: { most: 1.05 },
  first_aws_call_p50_ms: { most: 15 },
  read_ratio: { least: 0.8 },
  accept_ratio: { least: 0.65 },
  boot_ratio: { most: 1.3 },
  list_greatest_ratio: { most: 1.3 },
  lists_over_goal: { most: 0 },
  events_accept_ratio: { least: 0.95 },
  events_request_ratio: { most: 1.05 },
  events_streams_mb: { most: 200 },
  events_read_p99_ratio: { most: 1.2 },
  events_delivery_p99_ms: { most: 100 },
  streams_receiving_mb: { most: 300 },
  streams_read_p99_ratio: { most: 1.3 },
  streams_delivered_part: { least: 1 },
  backlog_least_per_second: { least: 5000 },
  backlog_read_p99_ratio: { most: 2 },
  webhooks_per_second: { least: 200 },
  scale_cpu_ratio: { most: 1.1 },
  takeover_p50_seconds: { most: 3 },
  takeover_p99_seconds: { most: 8 },
  command_help_extra_ms: { most: 40 },
  command_list_extra_ms: { most: 80 },
  client_call_extra_ms: { most: 1 },
};

const BENCHMARKS = { provision, read, accept, lists, boot, takeover, events, streams, webhooks, scale, command };

const NAMES = Object.keys(BENCHMARKS);
/** These take longer than all others together, so they run only if someone asks for them. */
const ON_REQUEST = ["lists"];
const RESULTS = "bench-results.json";
/** How many parts of a profile are printed. */
const PARTS = 30;
const USAGE = `Usage: npm run bench [-- --only BENCHMARK …] [--profile FOLDER]
       npm run bench -- --peers [--only ENGINE …] [--rounds 3] [--networks 50]

Measures Gantry against bare baselines on this machine, one benchmark after the other. When a benchmark ends, prints its
figures with their goals and writes all figures so far to ${RESULTS}: Ctrl-C loses only the benchmark that runs.

  --only BENCHMARK   runs one benchmark; may be given several times (${NAMES.join(", ")}).
                     Without it, runs all except ${ON_REQUEST.join(", ")}
  --profile FOLDER   writes CPU profiles of the measured processes to the folder, and prints where their time went: to
                     which package, or file of Gantry
  --peers            measures the same networks in other durable engines, in turns with Gantry; installs their packages
                     in test/peers at the first run. One round of all takes some 15 minutes
  --rounds NUMBER    the rounds of the peers
  --networks NUMBER  the networks that a peer creates together, and those amid which its worker is killed`;

const values = readOptions(USAGE, {
  only: { type: "string", multiple: true },
  profile: { type: "string" },
  peers: { type: "boolean" },
  rounds: { type: "string", default: "3" },
  networks: { type: "string", default: "50" },
});
if (values.peers) {
  const [rounds, networks] = [wholeNumber("rounds", values.rounds), wholeNumber("networks", values.networks)];
  await benchPeers({ only: values.only, rounds, networks });
  process.exit();
}
const benchmarks = values.only ?? NAMES.filter((name) => !ON_REQUEST.includes(name));
const unknown = benchmarks.find((name) => !NAMES.includes(name));
if (unknown) quit(`There is no benchmark "${unknown}". The benchmarks are: ${NAMES.join(", ")}.`);

bundle();
const environment = await startBenchEnvironment(values.profile);
const results: Results = {};
try {
  const api = await environment.launch(API);
  for (const name of benchmarks) {
    const start = performance.now();
    const figures = await BENCHMARKS[name as keyof typeof BENCHMARKS](environment, api);
    Object.assign(results, figures);
    writeFileSync(RESULTS, `${JSON.stringify(results, null, 2)}\n`);
    console.log(`\n${name}, measured in ${((performance.now() - start) / 1000).toFixed(0)} s`);
    print(figures);
  }
} finally {
  await environment.stop();
}
if (values.profile) printParts(values.profile);

function printParts(folder: string): void {
  const files = readdirSync(folder).filter((name) => name.endsWith(".cpuprofile"));
  // The folder may have profiles of earlier runs.
  for (const name of files.filter((each) => statSync(join(folder, each)).mtimeMs > performance.timeOrigin)) {
    console.log(`\n${name}`);
    for (const part of partsOf(join(folder, name)).slice(0, PARTS))
      console.log(`${(part.share * 100).toFixed(1).padStart(5)} %  ${part.name}`);
  }
}

async function provision(bench: BenchEnvironment, api: LaunchedProcess): Promise<Results> {
  const worker = await bench.launch(WORKER);
  const plain = await measureProvision(bench, api.url, { rounds: 25, delayMs: 0 });
  const slow = await measureProvision(bench, api.url, { rounds: 15, delayMs: 100 });
  await worker.stop();
  return {
    ...comparison("provision", plain, slow),
    first_aws_call_p50_ms: plain.firstCallMs.p50,
    first_aws_call_p99_ms: plain.firstCallMs.p99,
  };
}

async function takeover(bench: BenchEnvironment, api: LaunchedProcess): Promise<Results> {
  const { p50, p99 } = await measureTakeovers(bench, api.url, 11);
  return { takeover_p50_seconds: p50, takeover_p99_seconds: p99 };
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
  const measured = await measureTraffic(targets, { rounds: 11, seconds: 1 });
  await Promise.all([baseline.stop(), bare.stop()]);
  return {
    read_ratio: measured.gantry.perSecond / measured.baseline.perSecond,
    read_ratio_bare: measured.gantry.perSecond / measured.bare.perSecond,
    read_gantry_per_second: measured.gantry.perSecond,
    read_baseline_per_second: measured.baseline.perSecond,
    read_bare_per_second: measured.bare.perSecond,
    read_gantry_p99_ms: measured.gantry.p99Ms,
    read_baseline_p99_ms: measured.baseline.p99Ms,
  };
}

/** Measures without a worker: accepted Requests wait. */
async function accept(bench: BenchEnvironment, api: LaunchedProcess): Promise<Results> {
  const { accountId, userId, providerId, token, launch, clear } = bench;
  const baseline = await launch("test/load/baselines/server.ts", ["accept", accountId, userId]);
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const body = JSON.stringify({ provider: providerId, network: { cidr: "10.0.0.0/16", location: REGION } });
  const target = ({ url }: LaunchedProcess) => ({
    input: { url: `${url}/networks`, method: "POST" as const, headers, body },
    before: clear,
  });
  const measured = await measureTraffic(
    { gantry: target(api), baseline: target(baseline) },
    { rounds: 13, seconds: 1 },
  );
  await baseline.stop();
  // The workers of later benchmarks would run what was accepted.
  await clear();
  return {
    accept_ratio: measured.gantry.perSecond / measured.baseline.perSecond,
    accept_gantry_per_second: measured.gantry.perSecond,
    accept_baseline_per_second: measured.baseline.perSecond,
    accept_gantry_p99_ms: measured.gantry.p99Ms,
    accept_baseline_p99_ms: measured.baseline.p99Ms,
  };
}

/** Measures with its own databases. */
async function lists(bench: BenchEnvironment): Promise<Results> {
  const { pages, refused } = await measureLists(bench);
  const ratio = ({ fewMs, manyMs }: ListFigure) => manyMs / fewMs;
  const slow = pages.filter(({ reads }) => reads);
  for (const name of refused) console.log(`not measured: ${name}`);
  return {
    list_pages: pages.length,
    list_median_ratio: medianOf(pages.map(ratio)),
    list_greatest_ratio: Math.max(...pages.map(ratio)),
    lists_over_goal: slow.length,
    lists_not_measured: refused.length,
  };
}

async function boot(bench: BenchEnvironment, api: LaunchedProcess): Promise<Results> {
  const worker = await bench.launch(WORKER, [], { BASE_URL: api.url });
  const measured = await measureBoot(bench, api.url, { rounds: 11, delayMs: 0 });
  const slow = await measureBoot(bench, api.url, { rounds: 5, delayMs: 100 });
  await worker.stop();
  return {
    ...comparison("boot", measured, slow),
    boot_gantry_calls: measured.gantryCalls,
    boot_script_calls: measured.scriptCalls,
  };
}

async function events(bench: BenchEnvironment, api: LaunchedProcess): Promise<Results> {
  const accepted = await measureAcceptance(bench, api);
  const worker = await bench.launch(WORKER);
  const request = await measureRequest(bench, api, 40);
  const streams = await measureStreams(bench, api);
  await worker.stop();
  return {
    events_accept_ratio: accepted.withPerSecond / accepted.withoutPerSecond,
    events_accept_per_second: accepted.withPerSecond,
    events_request_ratio: request.withMs / request.withoutMs,
    events_request_ms: request.withMs,
    events_streams_mb: streams.megabytes,
    events_read_p99_ratio: streams.readP99Ratio,
    events_delivery_p99_ms: streams.deliveryP99Ms,
  };
}

/** Measures with a separate API process, in which nothing else was read. */
async function streams(bench: BenchEnvironment): Promise<Results> {
  const api = await bench.launch(API);
  const receiving = await measureReceivingStreams(bench, api);
  console.log(receiving);
  const backlog = await measureBacklog(bench, api);
  await api.stop();
  return {
    streams_receiving_mb: receiving.megabytes,
    streams_read_p99_ratio: receiving.readP99Ratio,
    streams_delivered_part: receiving.deliveredPart,
    backlog_single_per_second: backlog.singlePerSecond,
    backlog_least_per_second: backlog.leastPerSecond,
    backlog_read_p50_ratio: backlog.readP50Ratio,
    backlog_read_p99_ratio: backlog.readP99Ratio,
  };
}

async function webhooks(bench: BenchEnvironment, api: LaunchedProcess): Promise<Results> {
  const worker = await bench.launch(WORKER);
  const one = await measureDeliveries(bench, api, 1);
  const ten = await measureDeliveries(bench, api, 10);
  await worker.stop();
  return { webhooks_per_second: ten, webhooks_single_per_second: one };
}

async function scale(bench: BenchEnvironment, api: LaunchedProcess): Promise<Results> {
  const figures = await measureScale(bench, api);
  printScale(figures);
  const cpuOf = (count: number) =>
    figures.find(({ aws, workers }) => aws === "instant" && workers === count)?.cpuSeconds ?? Number.NaN;
  const named = figures.flatMap(({ aws, workers, perSecond, cpuSeconds, startMs }) => {
    const name = `scale_${aws}_${workers}`;
    return [
      [`${name}_per_second`, perSecond],
      [`${name}_cpu_ms`, cpuSeconds * 1000],
      [`${name}_start_p99_ms`, startMs.p99],
    ];
  });
  return { scale_cpu_ratio: cpuOf(4) / cpuOf(1), ...Object.fromEntries(named) };
}

async function command(bench: BenchEnvironment, api: LaunchedProcess): Promise<Results> {
  const { helpExtraMs, listExtraMs, fetchExtraMs, callExtraMs } = await measureCommand(bench, api);
  return {
    command_help_extra_ms: helpExtraMs,
    command_list_extra_ms: listExtraMs,
    node_fetch_extra_ms: fetchExtraMs,
    client_call_extra_ms: callExtraMs,
  };
}

/** Names the figures of Gantry and the script, without an added delay of AWS calls and with 100 ms. */
function comparison(name: string, plain: Medians, slow: Medians): Results {
  return {
    [`${name}_ratio`]: plain.gantryMs / plain.scriptMs,
    [`${name}_gantry_ms`]: plain.gantryMs,
    [`${name}_script_ms`]: plain.scriptMs,
    [`${name}_ratio_100ms`]: slow.gantryMs / slow.scriptMs,
    [`${name}_gantry_100ms_ms`]: slow.gantryMs,
    [`${name}_script_100ms_ms`]: slow.scriptMs,
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
