import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { bootstrap } from "@gantry/api";
import { type Db, openDb } from "@gantry/db";
import pg from "pg";
import type { Ablation } from "./ablations.js";
import { applyFaultProfile, setProvisioningTimes } from "./fault-profiles.js";
import { faultSchedule } from "./fault-schedule.js";
import { Fleet } from "./fleet.js";
import { injectFault } from "./inject-fault.js";
import { checkInvariants, type Figures, type Violations } from "./invariants.js";
import { Workload } from "./workload.js";

export interface Options {
  kills: number;
  seed: number;
  clients: number;
  ablation?: Ablation | undefined;
  log: (line: string) => void;
}

export interface Result {
  violations: Violations & { unexpected: string[] };
  figures: Figures & { faults: Record<string, number>; failures: Record<string, number>; seconds: number };
  /** Where the logs are, where something was found. */
  logs: string | undefined;
}

/** How long everything may take to come to rest once nothing is harmed any more. */
const IDLE_TIMEOUT_SECONDS = 300;
const LOG_INTERVAL_MS = 10_000;

/** Harms a Gantry under load as the seed says, lets it come to rest, and checks what is left against what was promised. */
export async function runCampaign(options: Options): Promise<Result> {
  const fleet = await Fleet.start(options.ablation ?? {});
  let isFound = true;
  try {
    const result = await runOn(fleet, options);
    isFound = Object.values(result.violations).some((list) => list.length > 0);
    return { ...result, logs: isFound ? fleet.folder : undefined };
  } finally {
    await fleet.close(isFound);
  }
}

async function runOn(fleet: Fleet, { kills, seed, clients, ablation, log }: Options): Promise<Omit<Result, "logs">> {
  const start = performance.now();
  const seconds = () => Math.round((performance.now() - start) / 1000);
  await runSql(
    fleet.databaseUrl,
    readFileSync(new URL("audit-triggers.sql", import.meta.url), "utf8") + (ablation?.sql ?? ""),
  );
  const db = openDb(`${fleet.databaseUrl}?application_name=campaign`, 4);
  const keys = await bootstrap(db, { MASTER_KEY: fleet.masterKey });
  if (!keys) throw new Error("the database is not empty");
  await fleet.startApps();
  await setProvisioningTimes(fleet.aws);
  const workload = new Workload(fleet, keys, seed);
  await workload.prepare();
  await db.providerLocation.updateMany({ data: { serverLimit: 1000, addressLimit: 1000 } });

  workload.start(clients);
  const faults: Record<string, number> = {};
  const ticker = setInterval(async () => {
    const open = await openRequests(db).catch(() => "?");
    log(`${seconds()} s: ${workload.accepted.length} accepted, ${open} open; ${formatCounts(faults)}`);
  }, LOG_INTERVAL_MS);
  for (const [n, fault] of faultSchedule(seed, kills).entries()) {
    await sleep(fault.afterMs);
    if (!(await injectFault(fleet, fault, seed + n))) continue;
    const name = fault.kind === "kill" ? `kill ${fault.victim.replace(/-\d/, "")}` : fault.kind;
    faults[name] = (faults[name] ?? 0) + 1;
  }
  await applyFaultProfile(fleet.aws, "calm", seed);
  await fleet.recover();
  await workload.stop();
  await waitUntilIdle(db);
  clearInterval(ticker);

  const { accounts, accepted, unexpected } = workload;
  const { finding: violations, figures } = await checkInvariants({
    db,
    aws: fleet.aws,
    accounts,
    accepted,
    outages: fleet.outages,
  });
  await db.$disconnect();
  const died = fleet.unexpectedExits.map((name) => `${name} ended by itself`);
  return {
    violations: { ...violations, unexpected: [...unexpected, ...died] },
    figures: { ...figures, faults, failures: workload.failures(), seconds: seconds() },
  };
}

/** Counts in words: `3 kill redis, 1 flush`. */
export function formatCounts(counts: Record<string, number>): string {
  return Object.entries(counts)
    .map(([name, count]) => `${count} ${name}`)
    .join(", ");
}

/** Runs several statements at once, which Prisma does not. */
async function runSql(url: string, sql: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query(sql).finally(() => client.end());
}

function openRequests(db: Db): Promise<number> {
  return db.request.count({ where: { finishedAt: null } });
}

/** Waits until no Request is open, or until they had time enough. */
async function waitUntilIdle(db: Db): Promise<void> {
  const end = Date.now() + IDLE_TIMEOUT_SECONDS * 1000;
  while (Date.now() < end && (await openRequests(db)) > 0) await sleep(250);
}
