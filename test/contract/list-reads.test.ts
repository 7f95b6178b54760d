import { buildApp } from "@gantry/api";
import { openDb, Prisma } from "@gantry/db";
import { createCaller } from "@gantry/test/support/api";
import { startApiTest } from "@gantry/test/support/api-test";
import supertest from "supertest";
import { afterAll, expect, it } from "vitest";
import { fillAccount } from "../support/fixtures.js";
import { addRows } from "../support/list-rows.js";
import { recordJobs } from "../support/recorded-jobs.js";
import { sample } from "../support/sample.js";
import { testKeys, testLog, testVault } from "../support/stack.js";
import { type ListInput, listInputs } from "./list-inputs.js";

/** Nine of ten in each table are of the account that reads: more than a page or a total may read. */
const ROWS = 60_000;
/** With some that the range of an index has, and that do not count. */
const MAX_READ = 52_000;

/** It looks into each Request on the caller's servers. */
const EXEMPT = ["/server-events"];

const { api, db, owner } = await startApiTest();
const staff = await createCaller(api, { staff: true });
const fixtures = await fillAccount(api, owner, 3);
await addRows(db, owner.accountId, fixtures, ROWS);

const { app, read } = startWatchedApi();

/** An API that keeps the statements that it reads with. */
function startWatchedApi() {
  const read: Prisma.Sql[] = [];
  const watched = openDb(api.env.DATABASE_URL, 4);
  const queryRaw = watched.$queryRaw.bind(watched) as (query: Prisma.Sql) => Promise<unknown>;
  const $queryRaw = (query: TemplateStringsArray | Prisma.Sql, ...values: unknown[]) => {
    const statement = query instanceof Prisma.Sql ? query : Prisma.sql(query, ...values);
    read.push(statement);
    return queryRaw(statement);
  };
  const { app, close } = buildApp({
    env: api.env,
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

interface Plan {
  "Relation Name"?: string;
  "Actual Rows": number;
  "Actual Loops": number;
  "Rows Removed by Filter"?: number;
  "Rows Removed by Index Recheck"?: number;
  Plans?: Plan[];
}

/** The most rows that one scan of a plan reads, and of which table. */
function greatestScan(plan: Plan): { rows: number; table: string } {
  const { "Actual Rows": kept, "Actual Loops": loops, Plans = [], "Relation Name": table } = plan;
  const removed = (plan["Rows Removed by Filter"] ?? 0) + (plan["Rows Removed by Index Recheck"] ?? 0);
  const own = table ? [{ rows: (kept + removed) * loops, table }] : [];
  return [...own, ...Plans.map(greatestScan)].reduce((most, scan) => (scan.rows > most.rows ? scan : most), {
    rows: 0,
    table: "",
  });
}

async function get({ path, query, forStaff }: ListInput) {
  const { token } = forStaff ? staff : owner;
  return supertest(app)
    .get(`${path}${query && `?${query}`}`)
    .set("Authorization", `Bearer ${token}`);
}

/** The scans of a call that read more than they may. */
async function longScansOf(input: ListInput): Promise<string[]> {
  read.length = 0;
  const { status, body } = await get(input);
  const name = `GET ${input.path}?${input.query}`;
  // A value that the filter does not take, or a record that the caller may not name.
  if ([403, 404, 422].includes(status) && input.query) return [];
  if (status !== 200) return [`${name} was answered with ${status} ${JSON.stringify(body)}`];
  const long: string[] = [];
  for (const statement of read.filter(({ sql }) => /^\s*(SELECT|WITH)/.test(sql))) {
    const [row] = await db.$queryRaw<{ "QUERY PLAN": [{ Plan: Plan }] }[]>`EXPLAIN (ANALYZE, FORMAT JSON) ${statement}`;
    const { rows, table } = greatestScan((row as { "QUERY PLAN": [{ Plan: Plan }] })["QUERY PLAN"][0].Plan);
    if (rows > MAX_READ) long.push(`${name} reads ${rows} rows of ${table}: ${statement.sql}`);
  }
  return long;
}

const inputs = await listInputs(fixtures, async (input) => {
  const { body } = await get(input);
  return (Object.values(body).find(Array.isArray) ?? []) as Record<string, unknown>[];
});
const routes = [...new Set(inputs.map(({ route }) => route))].filter((route) => !EXEMPT.includes(route));

it.each(sample(routes, 15, "list reads"))(
  "GET %s reads a bounded number of rows, whatever it selects and in each order",
  async (route) => {
    const long: string[] = [];
    for (const input of inputs.filter((input) => input.route === route)) long.push(...(await longScansOf(input)));
    expect(long).toEqual([]);
  },
);
