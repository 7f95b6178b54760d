import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { cloneDatabase, type TestDatabase } from "@gantry/test/support/stack";
import { until } from "@gantry/test/support/until";
import { applyMigrations } from "./index.js";

let database: TestDatabase;
let folder: string;

beforeAll(async () => {
  database = await cloneDatabase();
  folder = await mkdtemp(join(tmpdir(), "gantry-migrations-"));
  await cp(fileURLToPath(new URL("../../../prisma/migrations", import.meta.url)), folder, { recursive: true });
  await add(
    "29990101000000_next",
    'CREATE TABLE "next_table" (id int);\nALTER TABLE "accounts" ADD COLUMN "next" int;',
  );
  await add("29990102000000_index", 'CREATE INDEX CONCURRENTLY "next_index" ON "accounts" ("next");');
});

async function add(name: string, sql: string): Promise<void> {
  await mkdir(join(folder, name));
  await writeFile(join(folder, name, "migration.sql"), sql);
}

afterAll(async () => {
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

it("lets other statements use a table while a migration waits for its lock, and is applied once the lock is free", async () => {
  const { db, ownerUrl: url } = database;
  let migrating: Promise<string[]> | undefined;
  await db.$transaction(async (reader) => {
    await reader.account.count();
    migrating = applyMigrations(url, folder);
    await until(async () => {
      const waiting = await db.$queryRaw<object[]>`
          SELECT 1 FROM pg_locks WHERE relation = 'accounts'::regclass AND NOT granted`;
      return waiting.length > 0;
    });
    // This read queues behind the migration, which queues behind the transaction.
    await db.account.count();
  });
  expect(await migrating).toEqual(["29990101000000_next", "29990102000000_index"]);
  expect(await db.$queryRaw`SELECT next FROM accounts`).toEqual([]);
  expect(await applyMigrations(url, folder)).toEqual([]);
});
