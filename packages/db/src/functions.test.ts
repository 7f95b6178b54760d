import { fileURLToPath } from "node:url";
import { cloneDatabase, type TestDatabase } from "@gantry/test/support/stack";
import { applyMigrations, type Db } from "./index.js";

const migrations = fileURLToPath(new URL("../../../prisma/migrations", import.meta.url));

let fresh: TestDatabase;

beforeAll(async () => {
  fresh = await cloneDatabase();
});
afterAll(() => fresh.drop());

async function functionsOf(db: Db): Promise<string[]> {
  const rows = await db.$queryRaw<{ text: string }[]>`
    SELECT pg_get_functiondef(oid) AS text FROM pg_proc WHERE pronamespace = current_schema()::regnamespace
    UNION ALL SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
    ORDER BY text`;
  return rows.map(({ text }) => text);
}

it("replaces functions only if the files changed", async () => {
  const original = await functionsOf(fresh.db);
  await fresh.db
    .$executeRaw`CREATE OR REPLACE FUNCTION event_horizon() RETURNS bigint LANGUAGE sql AS 'SELECT 1::bigint'`;
  const replaced = await functionsOf(fresh.db);
  await applyMigrations(fresh.ownerUrl, migrations);
  expect(await functionsOf(fresh.db)).toEqual(replaced);
  await fresh.db.$executeRaw`UPDATE _functions SET hash = 'of other files'`;
  await Promise.all([1, 2, 3].map(() => applyMigrations(fresh.ownerUrl, migrations)));
  expect(await functionsOf(fresh.db)).toEqual(original);
});

it("leaves every column of bytes, as which secrets are stored, out of the events of its table", async () => {
  const columns = await fresh.db.$queryRaw<{ name: string; isHidden: boolean }[]>`
    SELECT table_name || '.' || column_name || ' ' || tgname AS name,
      column_name = ANY (split_part(encode(tgargs, 'escape'), '\\000', 2)::text[]) AS "isHidden"
    FROM information_schema.columns
    JOIN pg_trigger ON tgrelid = format('%I', table_name)::regclass AND tgname IN ('record_event_of_creation', 'record_event_of_change')
    WHERE table_schema = current_schema() AND data_type = 'bytea'`;
  expect(columns.length).toBeGreaterThan(4);
  expect(columns.filter(({ isHidden }) => !isHidden)).toEqual([]);
});
