import { randomUUID } from "node:crypto";
import { fileURLToPath } from "node:url";
import { cloneDatabase, type TestDatabase } from "@gantry/test/support/stack";

import { linkAuditRecords } from "./audit.js";
import { connectDb, type Db } from "./client.js";
import { Prisma } from "./generated/client.js";
import { prepareDatabase } from "./prepare-database.js";

const migrations = fileURLToPath(new URL("../../../prisma/migrations", import.meta.url));
let database: TestDatabase;
let apps: Db;

beforeAll(async () => {
  database = await cloneDatabase();
  // A copy of a database has none of the rights on the database itself.
  await prepareDatabase(database.ownerUrl, database.url, migrations);
  apps = connectDb(database.url, 2);
});
afterAll(async () => {
  await apps.$disconnect();
  await database.drop();
});

const record = () => ({ id: randomUUID(), action: "test", status: 200, traceId: "t", changes: {} });

it("lets the apps' user add to the audit, but not change it, delete from it or forge its chain", async () => {
  await apps.pendingAuditRecord.create({ data: record() });
  await expect(apps.pendingAuditRecord.deleteMany()).rejects.toThrow(/permission denied/);
  await expect(apps.pendingAuditRecord.updateMany({ data: { status: 1 } })).rejects.toThrow(/permission denied/);
  expect(await linkAuditRecords(apps)).toHaveLength(1);
  const [linked] = await apps.auditRecord.findMany();
  const forged = { ...linked, ...record(), position: 2n, changes: {} } as never;
  await expect(apps.auditRecord.create({ data: forged })).rejects.toThrow(/permission denied/);
  await expect(apps.auditRecord.deleteMany()).rejects.toThrow(/permission denied/);
  await expect(apps.auditRecord.updateMany({ data: { status: 1 } })).rejects.toThrow(/permission denied/);
  await expect(apps.$executeRaw`TRUNCATE audit_records`).rejects.toThrow(/permission denied/);
  await expect(apps.$executeRaw`ALTER TABLE audit_records DISABLE TRIGGER ALL`).rejects.toThrow(/must be owner/);
});

it("runs no function with its owner's rights on objects of its caller", async () => {
  const { db } = database;
  const unsafe = await db.$queryRaw`
    SELECT proname FROM pg_proc
    WHERE prosecdef AND pronamespace = current_schema()::regnamespace
      AND NOT coalesce(proconfig[1] ~ '^search_path=.*, pg_temp$' AND proconfig[1] !~ 'pg_temp,', false)`;
  expect(unsafe).toEqual([]);
  const [user] = await apps.$queryRaw<{ name: string }[]>`SELECT current_user::text AS name`;
  const [rights] = await db.$queryRaw<object[]>`
    SELECT has_database_privilege(${user?.name}, current_database(), 'TEMPORARY') AS temporary,
      has_function_privilege('public', 'link_audit_records()', 'EXECUTE') AS everybody,
      has_function_privilege(${user?.name}, 'link_audit_records()', 'EXECUTE') AS apps`;
  expect(rights).toEqual({ temporary: false, everybody: false, apps: true });
});

it("links the audit's own records even if the caller has a temporary table of the same name", async () => {
  const { db } = database;
  await db.$executeRaw`GRANT TEMPORARY ON DATABASE ${Prisma.raw(databaseName())} TO PUBLIC`;
  const attacker = connectDb(database.url, 1);
  try {
    await apps.pendingAuditRecord.create({ data: record() });
    await attacker.$executeRaw`CREATE TEMPORARY TABLE pending_audit_records (LIKE pending_audit_records)`;
    expect(await linkAuditRecords(attacker)).toHaveLength(1);
    expect(await db.pendingAuditRecord.count()).toBe(0);
  } finally {
    await attacker.$disconnect();
    await db.$executeRaw`REVOKE TEMPORARY ON DATABASE ${Prisma.raw(databaseName())} FROM PUBLIC`;
  }
});

const databaseName = () => `"${new URL(database.url).pathname.slice(1)}"`;

it("can grant the rights repeatedly and from several processes concurrently", async () => {
  await Promise.all([1, 2, 3].map(() => prepareDatabase(database.ownerUrl, database.url, migrations)));
  expect(await apps.user.count()).toBe(0);
});

it("lets the apps use a table of a new migration from its first moment", async () => {
  const owner = connectDb(database.ownerUrl, 1);
  try {
    await owner.$executeRaw`CREATE TABLE new_ones (id serial)`;
    await apps.$executeRaw`INSERT INTO new_ones DEFAULT VALUES`;
  } finally {
    await owner.$disconnect();
  }
});

it("changes nothing as the apps' user if nothing is pending", async () => {
  expect(await prepareDatabase(database.url, database.url, migrations)).toEqual([]);
});

it("gives the apps' user the settings of sessions behind a pooler, and refuses to migrate through one", async () => {
  const pooled = new URL(database.url);
  pooled.searchParams.set("pgbouncer", "true");
  await prepareDatabase(database.ownerUrl, pooled.href, migrations);
  const db = connectDb(pooled.href, 1);
  try {
    const settings = await db.$queryRaw`
      SELECT setting FROM pg_settings
      WHERE name IN ('idle_in_transaction_session_timeout', 'jit') AND source = 'database user' ORDER BY name`;
    expect(settings).toEqual([{ setting: "60000" }, { setting: "off" }]);
  } finally {
    await db.$disconnect();
  }
  await expect(prepareDatabase(pooled.href, pooled.href, migrations)).rejects.toThrow("DATABASE_DIRECT_URL");
});
