import { openApi } from "@gantry/api";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import pg from "pg";
import { createCaller, startTestApi, type TestApi, type TestCaller } from "../support/api.js";
import { type Fixtures, fillAccount } from "../support/fixtures.js";

const { paths } = openApi() as { paths: Record<string, Record<string, { parameters?: { name: string }[] }>> };
const READS = Object.entries(paths).flatMap(([path, operations]) => (operations.get ? [path] : []));

let api: TestApi;
let few: { owner: TestCaller; world: Fixtures };
let more: { owner: TestCaller; world: Fixtures };
const asked = pg.Client.prototype.query;
let queries = 0;

beforeAll(async () => {
  api = await startTestApi();
  const filled = async (each: number) => {
    const owner = await createCaller(api);
    return { owner, world: await fillAccount(api, owner, each) };
  };
  few = await filled(2);
  more = await filled(40);
  pg.Client.prototype.query = function (this: pg.Client, ...given: unknown[]) {
    queries++;
    return Reflect.apply(asked, this, given);
  } as typeof asked;
});
afterAll(async () => {
  pg.Client.prototype.query = asked;
  await api.close();
});

/** The path with the id of a record of its collection, or undefined where the fixtures have none. */
function addressOf(path: string, world: Fixtures): string {
  return path.replace(
    /([^/]+)\/\{(\w+)\}/g,
    (_, collection: string, name: string) =>
      // The snapshots of a server are told apart by the request that took them.
      `${collection}/${world[name === "request" ? "requests" : collection] ?? "unknown"}`,
  );
}

async function countQueries({ owner, world }: typeof few, path: string) {
  const address = addressOf(path, world);
  const pages = paths[path]?.get?.parameters?.some(({ name }) => name === "per_page");
  const seen = [];
  // Who asks is looked up anew every few seconds: not in each of two answers that follow each other.
  for (let time = 0; time < 2; time++) {
    queries = 0;
    const { status, body } = await owner.get(pages ? `${address}?per_page=100` : address);
    seen.push({ status, queries, entries: longestList(body) });
  }
  return seen.reduce((one, other) => (other.queries < one.queries ? other : one));
}

function longestList(body: Record<string, unknown>): number {
  return Math.max(0, ...Object.values(body).map((value) => (Array.isArray(value) ? value.length : 0)));
}

it.each(READS)("GET %s asks the database as often for many rows as for few", async (path) => {
  const small = await countQueries(few, path);
  const large = await countQueries(more, path);
  expect([small.status, large.status]).toEqual([200, 200]);
  expect(large.queries).toBe(small.queries);
  expect(large.queries).toBeLessThanOrEqual(6);
});

it("compares lists of different lengths", async () => {
  const lengths = [];
  for (const path of READS)
    lengths.push((await countQueries(more, path)).entries - (await countQueries(few, path)).entries);
  expect(lengths.filter((difference) => difference > 0).length).toBeGreaterThan(30);
});
