import pg from "pg";
import { createCaller } from "../support/api.js";
import { startApiTest } from "../support/api-test.js";
import { fillAccount } from "../support/fixtures.js";
import { sample } from "../support/sample.js";
import { accessOf, fillPath, paths } from "./document.js";

const READS = Object.entries(paths).flatMap(([path, operations]) => (operations.get ? [path] : []));

const { api } = await startApiTest();
const [few, many] = [await fill(2), await fill(40)];
const staff = await createCaller(api, { staff: true });

async function fill(each: number) {
  const owner = await createCaller(api);
  return { owner, fixtures: await fillAccount(api, owner, each) };
}

let queries = 0;
const { query } = pg.Client.prototype;
pg.Client.prototype.query = function (this: pg.Client, ...parameters: unknown[]) {
  queries++;
  return Reflect.apply(query, this, parameters);
} as typeof query;
afterAll(() => {
  pg.Client.prototype.query = query;
});

async function countQueries({ owner, fixtures }: typeof few, path: string) {
  const address = fillPath(path, fixtures);
  const isPaged = paths[path]?.get?.parameters?.some(({ name }) => name === "per_page");
  const counts = [];
  // The API reads the caller again every few seconds: so not for both of two answers in a row.
  for (let time = 0; time < 2; time++) {
    queries = 0;
    const caller = accessOf(path, "get").staff ? staff : owner;
    const { status, body } = await caller.get(isPaged ? `${address}?per_page=100` : address);
    counts.push({ status, queries, entries: longestList(body) });
  }
  return counts.reduce((one, other) => (other.queries < one.queries ? other : one));
}

function longestList(body: Record<string, unknown>): number {
  return Math.max(0, ...Object.values(body).map((value) => (Array.isArray(value) ? value.length : 0)));
}

it.each(sample(READS, 60, "queries"))("GET %s sends no more queries for many rows than for few", async (path) => {
  const small = await countQueries(few, path);
  const large = await countQueries(many, path);
  expect([small.status, large.status]).toEqual([200, 200]);
  // A full page of events is shared between its readers, so that the second one sends none for it.
  expect(large.queries).toBeLessThanOrEqual(small.queries);
  expect(large.queries).toBeLessThanOrEqual(6);
});

it("compares lists of different lengths", async () => {
  let different = 0;
  for (const path of READS) {
    if (different > 30) return;
    if ((await countQueries(many, path)).entries > (await countQueries(few, path)).entries) different += 1;
  }
  expect(different).toBeGreaterThan(30);
});
