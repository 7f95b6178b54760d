import { createCaller } from "@gantry/test/support/api";
import { startApiTest } from "@gantry/test/support/api-test";
import supertest from "supertest";
import { fillAccount } from "../support/fixtures.js";
import { addRows } from "../support/list-rows.js";
import { greatestScanOf, startWatchedApi } from "../support/list-statements.js";
import { sample } from "../support/sample.js";
import { type ListInput, listInputs } from "./list-inputs.js";

/** Nine of ten in each table are of the account that reads: more than a page or a total may read. */
const ROWS = 60_000;
/** With some that the range of an index has, and that do not count. */
const MAX_READ = 52_000;

const { api, db, owner } = await startApiTest();
const staff = await createCaller(api, { staff: true });
const fixtures = await fillAccount(api, owner, 3);
await addRows(db, owner.accountId, fixtures, ROWS);

const { app, read } = startWatchedApi(api.env);

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
  // A value that the filter does not accept, or a record that the caller may not name.
  if ([403, 404, 422].includes(status) && input.query) return [];
  if (status !== 200) return [`${name} was answered with ${status} ${JSON.stringify(body)}`];
  const long: string[] = [];
  for (const statement of read.filter(({ sql }) => /^\s*(SELECT|WITH)/.test(sql))) {
    const { rows, table } = await greatestScanOf(db, statement);
    if (rows > MAX_READ) long.push(`${name} reads ${rows} rows of ${table}: ${statement.sql}`);
  }
  return long;
}

const inputs = await listInputs(fixtures, async (input) => {
  const { body } = await get(input);
  return (Object.values(body).find(Array.isArray) ?? []) as Record<string, unknown>[];
});
const routes = [...new Set(inputs.map(({ route }) => route))];

it.each(sample(routes, 15, "list reads"))(
  "GET %s reads a bounded number of rows, for every filter and order",
  async (route) => {
    const long: string[] = [];
    for (const input of inputs.filter((input) => input.route === route)) long.push(...(await longScansOf(input)));
    expect(long).toEqual([]);
  },
);
