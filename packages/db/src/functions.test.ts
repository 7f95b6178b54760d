import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { cloneDatabase, patient, type TestDatabase } from "@gantry/test/support/stack";
import { applyMigrations, connectDb, type Db } from "./index.js";

const migrations = fileURLToPath(new URL("../../../prisma/migrations", import.meta.url));
const LAST = "20261124031013_webhooks";

let fresh: TestDatabase;
let folder: string;

beforeAll(async () => {
  fresh = await cloneDatabase();
  folder = await mkdtemp(join(tmpdir(), "gantry-functions-"));
});
afterAll(async () => {
  await fresh.drop();
  await rm(folder, { recursive: true, force: true });
});

async function functionsOf(db: Db): Promise<string[]> {
  const rows = await db.$queryRaw<{ text: string }[]>`
    SELECT pg_get_functiondef(oid) AS text FROM pg_proc WHERE pronamespace = current_schema()::regnamespace
    UNION ALL SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
    ORDER BY text`;
  return rows.map(({ text }) => text);
}

/** Has the events write another type, in a migration that has landed. */
async function writeEditedMigrations(): Promise<void> {
  const names = (await readdir(migrations)).filter((name) => name <= LAST || name.endsWith(".toml"));
  for (const name of names) await cp(join(migrations, name), join(folder, name), { recursive: true });
  const file = join(folder, "20261124013741_events/migration.sql");
  await writeFile(file, (await readFile(file, "utf8")).replaceAll("'deleted'", "'removed'"));
}

it("ends with the functions of a fresh database, regardless of the applied migration", async () => {
  await writeEditedMigrations();
  const url = new URL(fresh.ownerUrl);
  url.pathname += "_edited";
  await applyMigrations(url.toString(), folder);
  const edited = connectDb(url.toString(), 2, patient);
  try {
    expect((await functionsOf(edited)).join()).toContain("'removed'");
    await Promise.all([1, 2, 3].map(() => applyMigrations(url.toString(), migrations)));
    expect(await functionsOf(edited)).toEqual(await functionsOf(fresh.db));
  } finally {
    await edited.$disconnect();
    await fresh.db.$executeRawUnsafe(`DROP DATABASE "${url.pathname.slice(1)}" WITH (FORCE)`);
  }
});

it("replaces functions only if the files changed", async () => {
  await fresh.db
    .$executeRaw`CREATE OR REPLACE FUNCTION event_horizon() RETURNS bigint LANGUAGE sql AS 'SELECT 1::bigint'`;
  const replaced = await functionsOf(fresh.db);
  await applyMigrations(fresh.ownerUrl, migrations);
  expect(await functionsOf(fresh.db)).toEqual(replaced);
  await fresh.db.$executeRaw`UPDATE _functions SET hash = 'of other files'`;
  await applyMigrations(fresh.ownerUrl, migrations);
  expect(await functionsOf(fresh.db)).not.toEqual(replaced);
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
