import { aws, REGION } from "@gantry/test/support/account";
import { awsTestContext } from "@gantry/test/support/aws-test-context";
import { addSnapshot, DATABASE_PASSWORD, requestDatabaseService } from "@gantry/test/support/databases";
import { runAllToEnd, wakeUp } from "@gantry/test/support/engine";
import { until } from "@gantry/test/support/until";
import { createRequestOf } from "@gantry/test/support/work";
import { describeDbInstance } from "../../aws/rds/instance-state.js";
import { runRequest } from "../../engine/run.js";

const context = awsTestContext();

const settle = () => runAllToEnd(context.engine, context.customer.accountId);
const requestOf = (id: string) => context.db.request.findUniqueOrThrow({ where: { id } });
const request = (options: Parameters<typeof requestDatabaseService>[3] = {}) =>
  requestDatabaseService(context.db, context.env, context.customer, options);
const restore = (sourceServerId: string, time?: Date) =>
  request({ restore: { sourceServerId, ...(time && { restoreTime: time.toISOString() }) } });

async function database(): Promise<{ id: string; masterId: string }> {
  const made = await request();
  await settle();
  return made;
}

it("waits until RDS can restore to the time, and keeps no password in the ledger", async () => {
  const { masterId } = await database();
  const { requestId, masterId: restoredId } = await restore(masterId, new Date(Date.now() + 3_600_000));
  await until(async () => {
    await wakeUp(context.db, requestId);
    await runRequest(context.engine, requestId);
    return /RDS to be able to restore the database to/.test((await requestOf(requestId)).waitingFor ?? "");
  });
  const { accountId } = context.customer;
  // The hour has passed.
  const time = new Date();
  const { input } = await requestOf(requestId);
  const passed = { ...(input as object), restoreTime: time.toISOString() };
  await context.db.request.update({ where: { id: requestId }, data: { input: passed } });
  await settle();
  expect(await requestOf(requestId)).toMatchObject({ successful: true });
  const { provisionedId } = await context.db.databaseServer.findUniqueOrThrow({ where: { id: restoredId } });
  const { provider } = context.customer;
  const client = await context.engine.connect({ providerId: provider.id, region: REGION }, accountId);
  expect(await describeDbInstance(provisionedId ?? "")(client)).toMatchObject({
    status: "available",
    version: "5.7.17",
  });
  const calls = await aws.calls({ accountId: context.customer.awsAccount.accountId });
  const [sent] = calls.filter(({ action }) => action === "RestoreDBInstanceToPointInTime");
  expect(Date.parse(sent?.params?.RestoreTime ?? "")).toBeCloseTo(time.getTime(), -3);
  const kept = await context.db.cloudObject.findMany({ where: { accountId } });
  expect(JSON.stringify(kept.map(({ params }) => params))).not.toContain(DATABASE_PASSWORD);
});

it("takes over extended support and chosen IOPS of the source, by its backups and by a snapshot", async () => {
  const today = { engine: "postgres", version: "16.9", flavor: "db.t4g.medium" };
  const { requestId, masterId } = await request(today);
  await context.db.request.update({ where: { id: requestId }, data: { input: { extendedSupport: true } } });
  const storage = { storageType: "gp3", storageGb: 400, iops: 16_000 };
  await context.db.databaseServer.update({ where: { id: masterId }, data: storage });
  await settle();
  expect(await requestOf(requestId)).toMatchObject({ successful: true, message: null });
  const { id: snapshotId } = await addSnapshot(context.db, context.customer, masterId);
  const resource = { type: "database_server_snapshot", id: snapshotId } as const;
  await createRequestOf(context.db, context.customer, "provision_database_server_snapshot", resource, {});
  await settle();
  for (const from of [{ sourceServerId: masterId }, { snapshotId }]) {
    const restored = await request({ ...today, restore: from });
    await context.db.databaseServer.update({ where: { id: restored.masterId }, data: storage });
    await settle();
    expect(await requestOf(restored.requestId)).toMatchObject({ successful: true, message: null });
    const { provisionedId } = await context.db.databaseServer.findUniqueOrThrow({ where: { id: restored.masterId } });
    const { provider, accountId } = context.customer;
    const client = await context.engine.connect({ providerId: provider.id, region: REGION }, accountId);
    expect(await describeDbInstance(provisionedId ?? "")(client)).toMatchObject({
      extendedSupport: true,
      iops: 16_000,
    });
  }
});

it("fails with advice if RDS has no backup of the time, and removes what it made", async () => {
  const { masterId } = await database();
  const { id, requestId } = await restore(masterId, new Date("2020-01-01T00:00:00Z"));
  await settle();
  const { successful, message } = await requestOf(requestId);
  expect([successful, message]).toEqual([
    false,
    expect.stringMatching(/RDS has no backup of the source for this time/),
  ]);
  const { deletedAt } = await context.db.databaseService.findUniqueOrThrow({ where: { id } });
  expect(deletedAt).not.toBeNull();
  expect((await aws.inventory(context.customer.awsAccount)).db_instance).toHaveLength(1);
});

it("fails if its source no longer exists", async () => {
  const { masterId } = await database();
  const { requestId } = await restore(masterId);
  await context.db.databaseServer.update({ where: { id: masterId }, data: { deletedAt: new Date() } });
  await settle();
  expect((await requestOf(requestId)).message).toMatch(/The database server to restore does not exist in AWS/);
});
