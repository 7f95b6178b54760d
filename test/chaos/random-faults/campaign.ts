import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { bootstrap } from "@gantry/api";
import { type Db, openDb } from "@gantry/db";
import pg from "pg";
import type { Sabotage } from "./ablations.js";
import { setPace, setWeather } from "./fault-profiles.js";
import { planHarms } from "./fault-schedule.js";
import { Fleet } from "./fleet.js";
import { doHarm } from "./inject-fault.js";
import { check, type Figures, type Finding } from "./invariants.js";
import { Crowd } from "./workload.js";

export interface Options {
  kills: number;
  seed: number;
  customers: number;
  sabotage?: Sabotage | undefined;
  say: (line: string) => void;
}

export interface Result {
  finding: Finding & { surprising: string[] };
  figures: Figures & { done: Record<string, number>; failures: Record<string, number>; seconds: number };
  /** Where the logs are, where something was found. */
  logs: string | undefined;
}

/** How long everything may take to come to rest once nothing is harmed any more. */
const REST_SECONDS = 300;
const SAY_EVERY_MS = 10_000;

/** Harms a Gantry under load as the seed says, lets it come to rest, and checks what is left against what was promised. */
export async function campaign(options: Options): Promise<Result> {
  const fleet = await Fleet.start(options.sabotage ?? {});
  let isFound = true;
  try {
    const result = await playOn(fleet, options);
    isFound = Object.values(result.finding).some((list) => list.length > 0);
    return { ...result, logs: isFound ? fleet.folder : undefined };
  } finally {
    await fleet.close(isFound);
  }
}

async function playOn(fleet: Fleet, { kills, seed, customers, sabotage, say }: Options): Promise<Omit<Result, "logs">> {
  const start = performance.now();
  const seconds = () => Math.round((performance.now() - start) / 1000);
  await script(
    fleet.databaseUrl,
    readFileSync(new URL("audit-triggers.sql", import.meta.url), "utf8") + (sabotage?.sql ?? ""),
  );
  const db = openDb(`${fleet.databaseUrl}?application_name=campaign`, 4);
  const keys = await bootstrap(db, { MASTER_KEY: fleet.masterKey });
  if (!keys) throw new Error("the database is not empty");
  await fleet.open();
  await setPace(fleet.aws);
  const crowd = new Crowd(fleet, keys, seed);
  await crowd.settle();
  await db.providerLocation.updateMany({ data: { serverLimit: 1000, addressLimit: 1000 } });

  crowd.begin(customers);
  const done: Record<string, number> = {};
  const ticker = setInterval(async () => {
    const open = await openRequests(db).catch(() => "?");
    say(`${seconds()} s: ${crowd.promised.length} accepted, ${open} open; ${counted(done)}`);
  }, SAY_EVERY_MS);
  for (const [n, harm] of planHarms(seed, kills).entries()) {
    await sleep(harm.afterMs);
    if (!(await doHarm(fleet, harm, seed + n))) continue;
    const name = harm.kind === "kill" ? `kill ${harm.victim.replace(/-\d/, "")}` : harm.kind;
    done[name] = (done[name] ?? 0) + 1;
  }
  await setWeather(fleet.aws, "calm", seed);
  await fleet.heal();
  await crowd.stop();
  await rest(db);
  clearInterval(ticker);

  const { accounts, promised, surprising } = crowd;
  const { finding, figures } = await check({ db, aws: fleet.aws, accounts, promised, downs: fleet.downs });
  await db.$disconnect();
  const died = fleet.ownDeaths.map((name) => `${name} ended by itself`);
  return {
    finding: { ...finding, surprising: [...surprising, ...died] },
    figures: { ...figures, done, failures: crowd.failures(), seconds: seconds() },
  };
}

/** Counts in words: `3 kill redis, 1 flush`. */
export function counted(counts: Record<string, number>): string {
  return Object.entries(counts)
    .map(([name, count]) => `${count} ${name}`)
    .join(", ");
}

/** Runs several statements at once, which Prisma does not. */
async function script(url: string, sql: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query(sql).finally(() => client.end());
}

function openRequests(db: Db): Promise<number> {
  return db.request.count({ where: { finishedAt: null } });
}

/** Waits until no Request is open, or until they had time enough. */
async function rest(db: Db): Promise<void> {
  const end = Date.now() + REST_SECONDS * 1000;
  while (Date.now() < end && (await openRequests(db)) > 0) await sleep(250);
}
