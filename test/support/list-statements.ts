import { buildApp } from "@gantry/api";
import { type Db, openDb, Prisma } from "@gantry/db";
import type { Env } from "@gantry/runtime";
import { afterAll } from "vitest";
import { recordJobs } from "./recorded-jobs.js";
import { testKeys, testLog, testVault } from "./stack.js";

/** An API that keeps the statements that it reads with. It ends with the test file. */
export function startWatchedApi(env: Env) {
  const read: Prisma.Sql[] = [];
  const watched = openDb(env.DATABASE_URL, 4);
  const queryRaw = watched.$queryRaw.bind(watched) as (query: Prisma.Sql) => Promise<unknown>;
  const $queryRaw = (query: TemplateStringsArray | Prisma.Sql, ...values: unknown[]) => {
    const statement = query instanceof Prisma.Sql ? query : Prisma.sql(query, ...values);
    read.push(statement);
    return queryRaw(statement);
  };
  const { app, close } = buildApp({
    env,
    db: Object.assign(watched, { $queryRaw }),
    jobs: recordJobs(),
    log: testLog,
    vault: testVault,
    keys: testKeys,
  });
  afterAll(async () => {
    await close();
    await watched.$disconnect();
  });
  return { app, read };
}

/** The most rows that one scan of a statement reads, and of which table. */
export async function greatestScanOf(db: Db, statement: Prisma.Sql): Promise<Scan> {
  const [row] = await db.$queryRaw<{ "QUERY PLAN": [{ Plan: Plan }] }[]>`EXPLAIN (ANALYZE, FORMAT JSON) ${statement}`;
  return greatestScan((row as { "QUERY PLAN": [{ Plan: Plan }] })["QUERY PLAN"][0].Plan);
}

interface Scan {
  rows: number;
  table: string;
}

interface Plan {
  "Relation Name"?: string;
  "Actual Rows": number;
  "Actual Loops": number;
  "Rows Removed by Filter"?: number;
  "Rows Removed by Index Recheck"?: number;
  Plans?: Plan[];
}

function greatestScan(plan: Plan): Scan {
  const { "Actual Rows": kept, "Actual Loops": loops, Plans = [], "Relation Name": table } = plan;
  const removed = (plan["Rows Removed by Filter"] ?? 0) + (plan["Rows Removed by Index Recheck"] ?? 0);
  const own = table ? [{ rows: (kept + removed) * loops, table }] : [];
  return [...own, ...Plans.map(greatestScan)].reduce((most, scan) => (scan.rows > most.rows ? scan : most), {
    rows: 0,
    table: "",
  });
}
