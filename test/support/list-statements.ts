import { buildApp } from "@gantry/api";
import { connectDb, type Db, Prisma } from "@gantry/db";
import type { Env } from "@gantry/runtime";
import { type Scan, scansOf } from "./query-plan.js";
import { recordJobs } from "./recorded-jobs.js";
import { testKeys, testLog, testVault } from "./stack.js";

/** An API that keeps the statements that it reads with. It ends with the test file. */
export function startWatchedApi(env: Env) {
  const read: Prisma.Sql[] = [];
  const watched = connectDb(env.DATABASE_URL, 4);
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
  const scans = await scansOf(db, statement);
  return scans.reduce((most, scan) => (scan.rows > most.rows ? scan : most), { rows: 0, table: "" });
}
