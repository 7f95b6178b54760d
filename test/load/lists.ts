import { setTimeout as sleep } from "node:timers/promises";
import { applyMigrations, connectDb, type Db } from "@gantry/db";
import type { ListInput } from "../contract/list-inputs.js";
import { addRows } from "../support/list-rows.js";
import { migrations } from "../support/start-stack.js";
import type { BenchEnvironment } from "./bench-environment.js";
import { medianOf } from "./statistics.js";

const FEW = 1000;
const MANY = 1_000_000;
const ROUNDS = 3;
/** A list that seems to be slower is measured again. */
const ROUNDS_OF_SLOW = 11;
const GOAL = 1.3;
/** PostgreSQL publishes what a session has read a second after it did so before. */
const STATISTICS_MS = 1100;

/** One page of one list, and its median times with few and with many rows in each table that grows. */
export interface ListFigure {
  name: string;
  fewMs: number;
  manyMs: number;
  /** What it read of tables, if it misses the goal. */
  reads?: string;
}

export interface ListFigures {
  pages: ListFigure[];
  /** Inputs that were not answered with a list. */
  refused: string[];
}

/** A database with its own API, and an account that has most of the rows. */
interface World {
  db: Db;
  url: string;
  inputs: ListInput[];
  tokens: { owner: string; staff: string };
}

/** Reads the first and the next page of every list, with every filter, alternately in a database with few rows and in one with many. */
export async function measureLists(bench: BenchEnvironment): Promise<ListFigures> {
  const few = await createWorld(bench, FEW);
  const many = await createWorld(bench, MANY);
  const figures: ListFigures = { pages: [], refused: [] };
  for (const [at, input] of few.inputs.entries()) {
    const pair = [
      { world: few, input },
      { world: many, input: many.inputs[at] as ListInput },
    ] as const;
    const bare = input.path.replace(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g, ":id").replace(/\/\d+(?=\/|$)/g, "/:id");
    const name = `GET ${bare}${input.query && `?${input.query}`}`;
    const first = await Promise.all(pair.map(({ world, input }) => get(world, urlOf(world, input), input)));
    if (first.some(({ status }) => status !== 200)) {
      figures.refused.push(`${name} ${first.map(({ status }) => status).join(" ")}`);
      continue;
    }
    figures.pages.push(await measure(name, pair, (world, input) => urlOf(world, input)));
    const next = first.map(({ next }) => next);
    if (next.every((url) => url !== undefined))
      figures.pages.push(await measure(`${name}, next page`, pair, (world) => next[world === few ? 0 : 1] as string));
  }
  await Promise.all([few.db.$disconnect(), many.db.$disconnect()]);
  return figures;
}

type Pair = readonly [{ world: World; input: ListInput }, { world: World; input: ListInput }];

async function measure(
  name: string,
  pair: Pair,
  urlFor: (world: World, input: ListInput) => string,
): Promise<ListFigure> {
  const compare = async (rounds: number) => {
    const times: [number[], number[]] = [[], []];
    for (let round = -1; round < rounds; round++) {
      for (const [side, { world, input }] of pair.entries()) {
        const { ms } = await get(world, urlFor(world, input), input);
        if (round >= 0) times[side]?.push(ms);
      }
    }
    return { name, fewMs: medianOf(times[0]), manyMs: medianOf(times[1]) };
  };
  const figure = await compare(ROUNDS);
  if (figure.manyMs / figure.fewMs <= GOAL) return figure;
  const again = await compare(ROUNDS_OF_SLOW);
  const { world, input } = pair[1];
  if (again.manyMs / again.fewMs <= GOAL) return again;
  const reads = await readsOf(world, () => get(world, urlFor(world, input), input));
  const ratio = (again.manyMs / again.fewMs).toFixed(1).padStart(8);
  console.log(`${ratio}  ${again.fewMs.toFixed(1)} → ${again.manyMs.toFixed(1)} ms  ${name}: ${reads}`);
  return { ...again, reads };
}

/** Which tables a call reads, how, and how many rows. */
async function readsOf({ db }: World, call: () => Promise<unknown>): Promise<string> {
  const settle = async () => {
    await sleep(STATISTICS_MS);
    // The statements of this call publish those of the calls before it, too.
    await call();
    await sleep(STATISTICS_MS);
  };
  await settle();
  const before = await tableReads(db);
  await call();
  await settle();
  const after = await tableReads(db);
  const CALLS = 2;
  const changed = after.flatMap(({ table, rows, how }, i) => {
    const read = Math.round((Number(rows) - Number(before[i]?.rows)) / CALLS);
    return read > 100 ? [`${read} rows of ${table} by ${how}`] : [];
  });
  return changed.join(", ") || "few rows";
}

function tableReads(db: Db) {
  return db.$queryRaw<{ table: string; how: string; rows: bigint }[]>`
    SELECT relname AS table, 'sequential scan' AS how, seq_tup_read AS rows FROM pg_stat_user_tables
    UNION ALL SELECT relname, indexrelname, idx_tup_read FROM pg_stat_user_indexes ORDER BY 1, 2`;
}

interface Answer {
  status: number;
  ms: number;
  next: string | undefined;
  records: Record<string, unknown>[];
}

async function get({ url: api, tokens }: World, url: string, { path, forStaff }: ListInput): Promise<Answer> {
  const headers = { authorization: `Bearer ${forStaff ? tokens.staff : tokens.owner}` };
  const start = performance.now();
  const response = await fetch(url, { headers });
  const body = (await response.json()) as Record<string, unknown>;
  const ms = performance.now() - start;
  const records = Object.values(body).find(Array.isArray) ?? [];
  const link = /<([^>]*)>; rel="next"/.exec(response.headers.get("link") ?? "")?.[1];
  const next = link
    ? `${api}${new URL(link).pathname}${new URL(link).search}`
    : typeof body.next === "string"
      ? `${api}${path}?after=${body.next}`
      : undefined;
  return { status: response.status, ms, next, records };
}

function urlOf({ url }: World, { path, query }: ListInput): string {
  return `${url}${path}${query && `?${query}`}`;
}

async function createWorld(bench: BenchEnvironment, rows: number): Promise<World> {
  const template = new URL(bench.databaseUrl);
  template.pathname = `/gantry_lists_${rows}`;
  await applyMigrations(template.toString(), migrations);
  // The test support reads the URLs of its template database when it is loaded.
  process.env.TEST_TEMPLATE_URL ??= template.toString();
  process.env.TEST_APP_URL ??= template.toString();
  const [{ createCaller }, { fillAccount }, { listInputs }] = await Promise.all([
    import("../support/api.js"),
    import("../support/fixtures.js"),
    import("../contract/list-inputs.js"),
  ]);
  const db = connectDb(template.toString(), 2);
  const { url } = await bench.launch("apps/api/src/main.ts", [], { DATABASE_URL: template.toString() });
  const owner = await createCaller({ app: url, db });
  const staff = await createCaller({ app: url, db }, { staff: true });
  const fixtures = await fillAccount({ db }, owner, 25);
  await addRows(db, owner.accountId, fixtures, rows);
  const world = { db, url, inputs: [] as ListInput[], tokens: { owner: owner.token, staff: staff.token } };
  world.inputs = await listInputs(fixtures, async (input) => (await get(world, urlOf(world, input), input)).records);
  return world;
}
