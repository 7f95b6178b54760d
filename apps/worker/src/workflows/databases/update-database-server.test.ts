import { StopDBInstanceCommand } from "@aws-sdk/client-rds";
import { aws, REGION } from "@gantry/test/support/account";
import { awsTestContext } from "@gantry/test/support/aws-test-context";
import { addSnapshot, maintenanceWindowIn, requestDatabaseService } from "@gantry/test/support/databases";
import { runAllToEnd, wakeUp } from "@gantry/test/support/engine";
import { until } from "@gantry/test/support/until";
import { createRequestOf } from "@gantry/test/support/work";
import type { Aws } from "../../aws/clients.js";
import { describeDbInstance } from "../../aws/rds/instance-state.js";
import type { Engine } from "../../engine/engine.js";
import { runRequest } from "../../engine/run.js";

const context = awsTestContext();

let engine: Engine<Aws>;
beforeEach(() => {
  engine = context.engine;
});

const settle = () => runAllToEnd(engine, context.customer.accountId);
const requestOf = (id: string) => context.db.request.findUniqueOrThrow({ where: { id } });
const serverOf = (id: string) => context.db.databaseServer.findUniqueOrThrow({ where: { id } });
const connect = () =>
  context.engine.connect({ providerId: context.customer.provider.id, region: REGION }, context.customer.accountId);
const accepted = async (action: string) =>
  (await aws.calls({ accountId: context.customer.awsAccount.accountId, action })).filter(
    ({ status }) => status === 200,
  );
const slowly = (databaseMs?: number) =>
  aws.setTransitionDelays(databaseMs === undefined ? {} : { databaseMs }, {
    accountId: context.customer.awsAccount.accountId,
  });

async function database(options: Parameters<typeof requestDatabaseService>[3] = {}) {
  const { db, env, customer } = context;
  const { id, masterId } = await requestDatabaseService(db, env, customer, options);
  await db.databaseServer.update({ where: { id: masterId }, data: { maintenanceWindow: maintenanceWindowIn(3) } });
  await settle();
  return { id, masterId };
}

const send = (id: string, action: "start" | "stop" | "reboot", failover = false) =>
  createRequestOf(
    context.db,
    context.customer,
    "update_database_server",
    { type: "database_server", id },
    { action, ...(failover && { failover }) },
  );

/** Carries the action out, and returns the states on record and in RDS. */
async function done(id: string, action: "start" | "stop" | "reboot", failover = false) {
  const requestId = await send(id, action, failover);
  await settle();
  expect(await requestOf(requestId)).toMatchObject({ successful: true, message: null });
  const { state, provisionedId } = await serverOf(id);
  return [state, (await describeDbInstance(provisionedId ?? "")(await connect()))?.status];
}

/** Stops an instance in AWS, which the record does not show. */
async function stopInAws(id: string): Promise<void> {
  const { provisionedId } = await serverOf(id);
  const client = await connect();
  await client.rds.send(new StopDBInstanceCommand({ DBInstanceIdentifier: provisionedId ?? "" }));
  await until(async () => (await describeDbInstance(provisionedId ?? "")(client))?.status === "stopped");
}

/** Runs a Request repeatedly until it waits for this reason. */
const waitsFor = (requestId: string, reason: RegExp) =>
  until(async () => {
    await wakeUp(context.db, requestId);
    await runRequest(engine, requestId);
    return reason.test((await requestOf(requestId)).waitingFor ?? "");
  });

it("stops and starts a database server, by what RDS shows", async () => {
  const { masterId } = await database();
  expect(await done(masterId, "start")).toEqual(["available", "available"]);
  expect(await accepted("StartDBInstance")).toHaveLength(0);
  expect(await done(masterId, "stop")).toEqual(["stopped", "stopped"]);
  expect(await done(masterId, "stop")).toEqual(["stopped", "stopped"]);
  expect(await accepted("StopDBInstance")).toHaveLength(1);
  expect(await done(masterId, "start")).toEqual(["available", "available"]);
  await stopInAws(masterId);
  expect((await serverOf(masterId)).state).toBe("available");
  expect(await done(masterId, "start")).toEqual(["available", "available"]);
  expect(await accepted("StartDBInstance")).toHaveLength(2);
});

it("asks RDS for a failover once, however long it takes, and records the changes that came with it", async () => {
  const { id, masterId } = await database({ multiAz: true });
  const resource = { type: "database_server", id: masterId } as const;
  const later = { flavor: "db.m4.xlarge", storageGb: 40, apply: "window" } as const;
  await createRequestOf(context.db, context.customer, "modify_database_server", resource, later);
  await settle();
  const client = await connect();
  client.noRetry.rds.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      await slowly(600_000);
      return result;
    },
    { step: "initialize" },
  );
  engine = { ...context.engine, connect: async () => client };
  const requestId = await send(masterId, "reboot", true);
  for (let i = 0; i < 3; i++) await waitsFor(requestId, /the database server to become available .now rebooting/);
  expect((await serverOf(masterId)).state).toBe("rebooting");
  await slowly();
  await settle();
  expect(await requestOf(requestId)).toMatchObject({ successful: true });
  const calls = await accepted("RebootDBInstance");
  expect(calls.map(({ params }) => params.ForceFailover)).toEqual(["true"]);
  expect(await serverOf(masterId)).toMatchObject({
    ...{ state: "available", flavor: "db.m4.xlarge", storageGb: 20, pending: { storage: 40 } },
  });
  expect(await context.db.databaseService.findUniqueOrThrow({ where: { id } })).toMatchObject({
    masterFlavor: "db.m4.xlarge",
  });
});

it("says of a stopped database why it cannot be rebooted, and why it gets no snapshot", async () => {
  const { masterId } = await database();
  await stopInAws(masterId);
  const reboot = await send(masterId, "reboot");
  const { id } = await addSnapshot(context.db, context.customer, masterId);
  const resource = { type: "database_server_snapshot", id } as const;
  const snapshot = await createRequestOf(
    context.db,
    context.customer,
    "provision_database_server_snapshot",
    resource,
    {},
  );
  await settle();
  for (const requestId of [reboot, snapshot])
    expect(await requestOf(requestId)).toMatchObject({ successful: false, message: "The database server is stopped" });
  expect(await accepted("RebootDBInstance")).toHaveLength(0);
});

it("removes a stopped database after a final snapshot, for which RDS must start it", async () => {
  const { id, masterId } = await database();
  expect(await done(masterId, "stop")).toEqual(["stopped", "stopped"]);
  const { id: finalSnapshotId } = await addSnapshot(context.db, context.customer, masterId);
  const resource = { type: "database_service", id } as const;
  const removal = await createRequestOf(context.db, context.customer, "deprovision_database_service", resource, {
    finalSnapshotId,
  });
  await settle();
  expect(await requestOf(removal)).toMatchObject({ successful: true });
  expect(await accepted("StartDBInstance")).toHaveLength(1);
});
