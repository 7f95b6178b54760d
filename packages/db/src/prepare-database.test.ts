import { randomUUID } from "node:crypto";
import { fileURLToPath } from "node:url";
import { cloneDatabase, type TestDatabase } from "@gantry/test/support/stack";
import { afterAll, beforeAll, expect, it } from "@jest/globals";

import { linkAuditRecords } from "./audit.js";
import { type Db, openDb } from "./client.js";
import { prepareDatabase } from "./prepare-database.js";

const migrations = fileURLToPath(new URL("../../../prisma/migrations", import.meta.url));
let database: TestDatabase;
let apps: Db;

beforeAll(async () => {
  database = await cloneDatabase();
  apps = openDb(database.url, 2);
});
afterAll(async () => {
  await apps.$disconnect();
  await database.drop();
});

const record = () => ({ id: randomUUID(), action: "test", status: 200, traceId: "t", changes: {} });

it("lets the apps' user add to the audit, and neither change it nor take from it nor forge its chain", async () => {
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

it("gives the rights as often as it is called, and by several processes at once", async () => {
  await Promise.all([1, 2, 3].map(() => prepareDatabase(database.ownerUrl, database.url, migrations)));
  expect(await apps.user.count()).toBe(0);
});
