import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { bootstrap } from "@gantry/api";
import { connectDb, type Db } from "@gantry/db";
import pg from "pg";
import type { Ablation } from "./ablations.js";
import { Client } from "./client.js";
import { EventFollower, pages, stream } from "./event-follower.js";
import { applyFaultProfile, setProvisioningTimes } from "./fault-profiles.js";
import { type Fault, faultSchedule } from "./fault-schedule.js";
import { Fleet } from "./fleet.js";
import { injectFault } from "./inject-fault.js";
import { checkInvariants, type Figures, type Violations } from "./invariants.js";
import { RandomSource } from "./random-source.js";
import type { StoresName } from "./stores/index.js";
import { WebhookReceiver } from "./webhook-receiver.js";
import { Workload } from "./workload.js";

export interface Options {
  kills: number;
  seed: number;
  clients: number;
  ablation?: Ablation | undefined;
  stores: StoresName;
  log: (line: string) => void;
}

export interface Result {
  violations: Violations & { unexpected: string[] };
  figures: Figures & { faults: Record<string, number>; failures: Record<string, number>; seconds: number };
  /** The folder of the logs; kept only after a violation. */
  logs: string | undefined;
}

/** The time for all Requests to end after the last fault. */
const IDLE_TIMEOUT_SECONDS = 300;
const LOG_INTERVAL_MS = 10_000;

/** Injects the seed's faults into a Gantry under load, waits until all Requests have ended, and checks the invariants. */
export async function runCampaign(options: Options): Promise<Result> {
  const fleet = await Fleet.start({ ...options.ablation, stores: options.stores });
  let hasViolations = true;
  try {
    const result = await runOn(fleet, options);
    hasViolations = Object.values(result.violations).some((list) => list.length > 0);
    return { ...result, logs: hasViolations ? fleet.folder : undefined };
  } finally {
    await fleet.close(hasViolations);
  }
}

async function runOn(fleet: Fleet, { kills, seed, clients, ablation, log }: Options): Promise<Omit<Result, "logs">> {
  const start = performance.now();
  const seconds = () => Math.round((performance.now() - start) / 1000);
  await runSql(
    fleet.databaseUrl,
    readFileSync(new URL("audit-triggers.sql", import.meta.url), "utf8") + (ablation?.sql ?? ""),
  );
  const db = connectDb(fleet.databaseUrl, 4);
  const keys = await bootstrap(db, { MASTER_KEY: [fleet.masterKey] });
  if (!keys) throw new Error("the database is not empty");
  await fleet.startApps();
  await setProvisioningTimes(fleet.aws);
  const workload = new Workload(fleet, keys, seed);
  const { accountId } = keys;
  const random = new RandomSource(seed, -1);
  const administrator = new Client(
    fleet.apiUrls,
    keys.token,
    () => {},
    random,
    () => false,
  );
  const webhook = await WebhookReceiver.start(db, administrator, accountId);
  await workload.prepare();
  await db.providerLocation.updateMany({ data: { serverLimit: 1000, addressLimit: 1000 } });

  const followers = [pages, stream].map((source) => new EventFollower(source, fleet.apiUrls, keys));
  workload.start(clients);
  const faults: Record<string, number> = {};
  const ticker = setInterval(async () => {
    const unfinished = await unfinishedRequests(db).catch(() => "?");
    log(`${seconds()} s: ${workload.accepted.length} accepted, ${unfinished} unfinished; ${formatCounts(faults)}`);
  }, LOG_INTERVAL_MS);
  const schedule = faultSchedule(seed, kills);
  for (const [n, fault] of schedule.entries()) {
    if (n === Math.floor(schedule.length / 3)) await webhook.die();
    if (n === Math.floor(schedule.length / 2)) await webhook.revive();
    await sleep(fault.afterMs);
    if (!(await injectFault(fleet, fault, seed + n))) continue;
    const name = nameOf(fault);
    faults[name] = (faults[name] ?? 0) + 1;
  }
  await applyFaultProfile(fleet.aws, "none", seed);
  await fleet.recover();
  await workload.stop();
  await waitUntilIdle(db);
  clearInterval(ticker);
  await webhook.finish(db);
  const written = await db.event.count({ where: { accountId } });
  await Promise.all(followers.map((follower) => follower.stop(written)));

  const { accounts, accepted, unexpected } = workload;
  const { violations, figures } = await checkInvariants({
    db,
    aws: fleet.aws,
    accounts,
    accepted,
    outages: fleet.outages,
    followed: followers.map(({ ids }) => ({ accountId, ids })),
    webhooks: [webhook],
  });
  await db.$disconnect();
  const exits = fleet.unexpectedExits.map((name) => `${name} exited unexpectedly`);
  return {
    violations: { ...violations, unexpected: [...unexpected, ...exits] },
    figures: { ...figures, faults, failures: workload.failures(), seconds: seconds() },
  };
}

function nameOf(fault: Fault): string {
  if (fault.kind === "kill") return `kill ${fault.target.replace(/-\d/, "")}`;
  return fault.kind === "queue act" ? fault.act : fault.kind;
}

/** Formats counts: `3 kill redis, 1 flush`. */
export function formatCounts(counts: Record<string, number>): string {
  return Object.entries(counts)
    .map(([name, count]) => `${count} ${name}`)
    .join(", ");
}

/** Runs a script of several statements, which Prisma cannot. */
async function runSql(url: string, sql: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query(sql).finally(() => client.end());
}

function unfinishedRequests(db: Db): Promise<number> {
  return db.request.count({ where: { finishedAt: null } });
}

/** Waits until no Request is unfinished, or for `IDLE_TIMEOUT_SECONDS`. */
async function waitUntilIdle(db: Db): Promise<void> {
  const end = Date.now() + IDLE_TIMEOUT_SECONDS * 1000;
  while (Date.now() < end && (await unfinishedRequests(db)) > 0) await sleep(250);
}
