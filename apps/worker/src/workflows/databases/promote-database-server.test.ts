import { PromoteReadReplicaCommand } from "@aws-sdk/client-rds";
import { aws, REGION } from "@gantry/test/support/account";
import { awsTestContext } from "@gantry/test/support/aws-test-context";
import { runAllToEnd } from "@gantry/test/support/engine";
import { countsOf, scenarioContext } from "@gantry/test/support/scenario";
import { createRequestOf } from "@gantry/test/support/work";
import { describeDbInstance } from "../../aws/rds/instance-state.js";
import { promotion } from "./databases.scenarios.js";

const context = awsTestContext();

const settle = () => runAllToEnd(context.engine, context.customer.accountId);
const requestOf = (id: string) => context.db.request.findUniqueOrThrow({ where: { id } });
const serverOf = (id: string) => context.db.databaseServer.findUniqueOrThrow({ where: { id } });
const connect = () =>
  context.engine.connect({ providerId: context.customer.provider.id, region: REGION }, context.customer.accountId);
const seen = async (serverId: string) =>
  describeDbInstance((await serverOf(serverId)).provisionedId ?? "")(await connect());
const left = async () => countsOf(await aws.inventory(context.customer.awsAccount), context.customer.accountId);
const promotions = async () => {
  const { accountId } = context.customer.awsAccount;
  const calls = await aws.calls({ accountId, action: "PromoteReadReplica" });
  return calls.filter(({ status }) => status === 200).length;
};
const accept = () => promotion(scenarioContext(context.engine, context));

async function remove(id: string): Promise<void> {
  const resource = { type: "database_service", id } as const;
  const input = { finalSnapshotId: null };
  const { db, customer } = context;
  const requestId = await createRequestOf(db, customer, "deprovision_database_service", resource, input);
  await settle();
  expect(await requestOf(requestId)).toMatchObject({ successful: true, message: null });
}

it("promotes once, over the states of RDS, and keeps the replica's record in its database until then", async () => {
  const { accountId } = context.customer.awsAccount;
  const { requestId, id, serverId, formerId } = await accept();
  await aws.setTransitionDelays({ databaseMs: 300 }, { accountId });
  expect((await serverOf(serverId)).databaseServiceId).toBe(formerId);
  await settle();
  expect(await requestOf(requestId)).toMatchObject({ successful: true, message: null });
  expect(await serverOf(serverId)).toMatchObject({ databaseServiceId: id, replicationSourceId: null });
  expect(await promotions()).toBe(1);
});

it("completes a promotion that was made already", async () => {
  const { requestId, id, serverId } = await accept();
  const { rds } = await connect();
  const DBInstanceIdentifier = (await serverOf(serverId)).provisionedId ?? "";
  await rds.send(new PromoteReadReplicaCommand({ DBInstanceIdentifier, BackupRetentionPeriod: 3 }));
  await settle();
  expect(await requestOf(requestId)).toMatchObject({ successful: true, message: null });
  expect(await serverOf(serverId)).toMatchObject({ databaseServiceId: id, backupRetentionPeriod: 3 });
  expect(await promotions()).toBe(1);
});

it("leaves the backup window to RDS if the replica has its maintenance then", async () => {
  const { requestId, masterId, serverId } = await accept();
  const backupWindow = { start: { hour: "04", minute: "00" }, duration: "1.0" };
  await context.db.databaseServer.update({ where: { id: masterId }, data: { backupWindow } });
  await settle();
  expect(await requestOf(requestId)).toMatchObject({ successful: true, message: null });
  expect((await seen(serverId))?.backupWindow).not.toBe("04:00-05:00");
});

it("leaves the subnet group to the database that remains, whichever is removed first", async () => {
  for (const first of ["former", "promoted"] as const) {
    const { formerId, id } = await accept();
    await settle();
    const [gone, remaining] = first === "former" ? [formerId, id] : [id, formerId];
    await remove(gone);
    expect(await left()).toEqual({ security_group: 1, db_subnet_group: 1, db_instance: 1 });
    await remove(remaining);
    expect(await left()).toEqual({});
  }
});

it("can be removed if its promotion failed, and leaves the replica to its database", async () => {
  const { requestId, id, serverId, formerId } = await accept();
  const deadlineAt = new Date(0);
  await context.db.request.update({ where: { id: requestId }, data: { stage: "promote", deadlineAt } });
  await settle();
  expect(await requestOf(requestId)).toMatchObject({ successful: false });
  await remove(id);
  expect(await serverOf(serverId)).toMatchObject({ databaseServiceId: formerId, deletedAt: null });
  expect(await left()).toEqual({ security_group: 1, db_subnet_group: 1, db_instance: 2 });
});
