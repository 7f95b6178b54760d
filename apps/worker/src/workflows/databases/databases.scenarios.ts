import { deepEqual } from "node:assert/strict";
import {
  addSnapshot,
  maintenanceWindowIn,
  NEXT_DATABASE_PASSWORD,
  PROMOTED_PASSWORD,
  passwordsOf,
  requestDatabaseService,
  requestPromotion,
  requestReplica,
  requestRotation,
} from "@gantry/test/support/databases";
import type { ScenarioContext, Scenarios } from "@gantry/test/support/scenario";
import { createRequestOf } from "@gantry/test/support/work";
import { describeDbSnapshot } from "../../aws/rds/db-snapshot.js";
import { describeDbInstance } from "../../aws/rds/instance-state.js";

const DATABASE = { security_group: 1, db_subnet_group: 1, db_instance: 1 };

async function database({ db, env, customer, finishRequests }: ScenarioContext) {
  const made = await requestDatabaseService(db, env, customer);
  await finishRequests();
  return made;
}

/** A database with a replica, and the promotion of that. */
export async function promotion(context: ScenarioContext) {
  const { id: formerId, masterId } = await database(context);
  const { id: serverId } = await requestReplica(context.db, context.customer, masterId);
  await context.finishRequests();
  return { formerId, masterId, serverId, ...(await requestPromotion(context, serverId)) };
}

async function snapshot(context: ScenarioContext): Promise<{ id: string; requestId: string }> {
  const { db, customer } = context;
  const { masterId } = await database(context);
  const { id } = await addSnapshot(db, customer, masterId);
  const resource = { type: "database_server_snapshot", id } as const;
  return { id, requestId: await createRequestOf(db, customer, "provision_database_server_snapshot", resource, {}) };
}

const isDeleted = ({ deletedAt }: { deletedAt: Date | null }) => deletedAt !== null;

export const databaseScenarios = {
  provision_database_service: {
    createRequest: async ({ db, env, customer }) => (await requestDatabaseService(db, env, customer)).requestId,
    afterSuccess: DATABASE,
    afterFailure: {},
  },
  deprovision_database_service: {
    createRequest: async (context) => {
      const { db, customer } = context;
      const { id, masterId } = await database(context);
      const { id: finalSnapshotId } = await addSnapshot(db, customer, masterId);
      const resource = { type: "database_service", id } as const;
      return createRequestOf(db, customer, "deprovision_database_service", resource, { finalSnapshotId });
    },
    afterSuccess: { db_snapshot: 1 },
    verify: async ({ db, aws }, { resourceId, input }) => {
      const service = await db.databaseService.findUniqueOrThrow({
        where: { id: resourceId },
        include: { servers: true, firewalls: true },
      });
      deepEqual([service, ...service.servers, ...service.firewalls].map(isDeleted), [true, true, true]);
      const where = { id: input.finalSnapshotId ?? "" };
      const snapshot = await db.databaseServerSnapshot.findUniqueOrThrow({ where });
      deepEqual([snapshot.deletedAt, snapshot.state, snapshot.progress], [null, "available", 100]);
      deepEqual((await describeDbSnapshot(snapshot.provisionedId ?? "")(aws))?.status, "available");
    },
  },
  rotate_database_credentials: {
    createRequest: async (context) => {
      const { id } = await database(context);
      return requestRotation(context, id);
    },
    afterSuccess: DATABASE,
    afterFailure: DATABASE,
    verify: async ({ db, env }, { resourceId }) => {
      const { next, passwords } = await passwordsOf({ db, env }, resourceId);
      deepEqual([next, passwords], [null, [NEXT_DATABASE_PASSWORD, NEXT_DATABASE_PASSWORD]]);
    },
  },
  provision_database_server: {
    createRequest: async (context) => {
      const { masterId } = await database(context);
      return (await requestReplica(context.db, context.customer, masterId)).requestId;
    },
    afterSuccess: { ...DATABASE, db_instance: 2 },
    afterFailure: DATABASE,
  },
  deprovision_database_server: {
    createRequest: async (context) => {
      const { masterId } = await database(context);
      const { id } = await requestReplica(context.db, context.customer, masterId);
      await context.finishRequests();
      return createRequestOf(
        context.db,
        context.customer,
        "deprovision_database_server",
        { type: "database_server", id },
        {},
      );
    },
    afterSuccess: DATABASE,
    verify: async ({ db, aws }, { resourceId }) => {
      const replica = await db.databaseServer.findUniqueOrThrow({
        where: { id: resourceId },
        include: { databaseService: { include: { servers: true } } },
      });
      const { servers, replicaCount } = replica.databaseService;
      deepEqual([isDeleted(replica), replicaCount], [true, 0]);
      const master = servers.find(({ replicationSourceId }) => replicationSourceId === null);
      deepEqual([master?.deletedAt, master?.state], [null, "available"]);
      const found = await Promise.all(
        [master, replica].map((row) => describeDbInstance(row?.provisionedId ?? "")(aws)),
      );
      deepEqual(
        found.map((instance) => instance?.status),
        ["available", undefined],
      );
    },
  },
  modify_database_server: {
    createRequest: async (context) => {
      const { masterId: id } = await database(context);
      const input = { flavor: "db.m4.xlarge", storageGb: 40, multiAz: true, backupRetentionPeriod: 14 };
      return createRequestOf(
        context.db,
        context.customer,
        "modify_database_server",
        { type: "database_server", id },
        input,
      );
    },
    afterSuccess: DATABASE,
    verify: async ({ db, aws }, { resourceId: id, input }) => {
      const row = await db.databaseServer.findUniqueOrThrow({ where: { id }, include: { databaseService: true } });
      const { flavor, storageGb, multiAz, backupRetentionPeriod, databaseService } = row;
      deepEqual({ flavor, storageGb, multiAz, backupRetentionPeriod }, input);
      deepEqual([databaseService.masterFlavor, databaseService.masterMultiAz], [input.flavor, input.multiAz]);
      const found = await describeDbInstance(row.provisionedId ?? "")(aws);
      deepEqual(
        [found?.flavor, found?.storageGb, found?.multiAz, found?.backupRetentionDays],
        [input.flavor, input.storageGb, input.multiAz, input.backupRetentionPeriod],
      );
    },
  },
  update_database_server: {
    createRequest: async (context) => {
      const { masterId: id } = await database(context);
      const resource = { type: "database_server", id } as const;
      return createRequestOf(context.db, context.customer, "update_database_server", resource, { action: "stop" });
    },
    afterSuccess: DATABASE,
    verify: async ({ db, aws }, { resourceId: id }) => {
      const row = await db.databaseServer.findUniqueOrThrow({ where: { id } });
      const found = await describeDbInstance(row.provisionedId ?? "")(aws);
      deepEqual([row.state, found?.status], ["stopped", "stopped"]);
    },
  },
  promote_database_server: {
    createRequest: async (context) => (await promotion(context)).requestId,
    afterSuccess: { security_group: 2, db_subnet_group: 1, db_instance: 2 },
    verify: async ({ db, env, aws }, { resourceId: id, input }) => {
      const { servers, firewalls, masterFlavor } = await db.databaseService.findUniqueOrThrow({
        where: { id },
        include: { servers: true, firewalls: true },
      });
      const former = await db.databaseService.findUniqueOrThrow({
        where: { id: input.formerServiceId },
        include: { servers: true },
      });
      const [master] = servers;
      deepEqual([servers.length, former.servers.length, former.replicaCount], [1, 1, 0]);
      deepEqual([master?.id, master?.replicationSourceId, master?.state], [input.serverId, null, "available"]);
      deepEqual([masterFlavor, master?.backupRetentionPeriod], [master?.flavor, 7]);
      deepEqual((await passwordsOf({ db, env }, id)).passwords, [PROMOTED_PASSWORD, PROMOTED_PASSWORD]);
      const found = await describeDbInstance(master?.provisionedId ?? "")(aws);
      deepEqual([found?.status, found?.sourceId, found?.backupRetentionDays], ["available", undefined, 7]);
      deepEqual(found?.securityGroupIds, [firewalls[0]?.provisionedId]);
    },
  },
  provision_database_server_snapshot: {
    createRequest: async (context) => (await snapshot(context)).requestId,
    afterSuccess: { ...DATABASE, db_snapshot: 1 },
    afterFailure: DATABASE,
  },
  deprovision_database_server_snapshot: {
    createRequest: async (context) => {
      const { id } = await snapshot(context);
      await context.finishRequests();
      const resource = { type: "database_server_snapshot", id } as const;
      return createRequestOf(context.db, context.customer, "deprovision_database_server_snapshot", resource, {});
    },
    afterSuccess: DATABASE,
    verify: async ({ db, aws }, { resourceId }) => {
      const snapshot = await db.databaseServerSnapshot.findUniqueOrThrow({ where: { id: resourceId } });
      const found = await describeDbSnapshot(snapshot.provisionedId ?? "")(aws);
      deepEqual([isDeleted(snapshot), found], [true, undefined]);
    },
  },
} satisfies Scenarios;

/** The same change in the maintenance window, which replaces another one that waits for it. */
export const maintenanceWindowScenarios = {
  modify_database_server: {
    createRequest: async (context) => {
      const { db, env, customer, finishRequests } = context;
      const { masterId: id } = await requestDatabaseService(db, env, customer);
      await db.databaseServer.update({ where: { id }, data: { maintenanceWindow: maintenanceWindowIn(3) } });
      const resource = { type: "database_server", id } as const;
      await finishRequests();
      const former = { flavor: "db.m4.xlarge", storageGb: 30, apply: "window" } as const;
      await createRequestOf(db, customer, "modify_database_server", resource, former);
      await finishRequests();
      const input = { storageGb: 40, multiAz: true, backupRetentionPeriod: 14, apply: "window" } as const;
      return createRequestOf(db, customer, "modify_database_server", resource, input);
    },
    afterSuccess: DATABASE,
    verify: async ({ db, aws }, { resourceId: id }) => {
      const row = await db.databaseServer.findUniqueOrThrow({ where: { id } });
      const { flavor, storageGb, multiAz, backupRetentionPeriod, pending } = row;
      deepEqual([flavor, storageGb, multiAz, backupRetentionPeriod], ["db.m4.large", 20, false, 14]);
      deepEqual(pending, { flavor: "db.m4.xlarge", storage: 40, multi_az: true });
      const found = await describeDbInstance(row.provisionedId ?? "")(aws);
      deepEqual([found?.flavor, found?.storageGb, found?.backupRetentionDays], ["db.m4.large", 20, 14]);
      deepEqual(found?.pending, { flavor: "db.m4.xlarge", storageGb: 40, multiAz: true });
    },
  },
} satisfies Scenarios;

/** A reboot with a failover. */
export const failoverScenarios = {
  update_database_server: {
    createRequest: async (context) => {
      const { db, env, customer, finishRequests } = context;
      const { masterId: id } = await requestDatabaseService(db, env, customer, { multiAz: true });
      await finishRequests();
      const input = { action: "reboot", failover: true } as const;
      return createRequestOf(db, customer, "update_database_server", { type: "database_server", id }, input);
    },
    afterSuccess: DATABASE,
    verify: async ({ db, aws }, { resourceId: id }) => {
      const row = await db.databaseServer.findUniqueOrThrow({ where: { id } });
      const found = await describeDbInstance(row.provisionedId ?? "")(aws);
      deepEqual([row.state, found?.status], ["available", "available"]);
    },
  },
} satisfies Scenarios;

const RESTORED = { security_group: 2, db_subnet_group: 2, db_instance: 2 };

/** A database that is restored from the backups of another one, which stays as it is. */
export const restoreScenarios = {
  provision_database_service: {
    createRequest: async (context) => {
      const { db, env, customer } = context;
      const { masterId: sourceServerId } = await database(context);
      const { requestId } = await requestDatabaseService(db, env, customer, { restore: { sourceServerId } });
      return requestId;
    },
    afterSuccess: RESTORED,
    afterFailure: DATABASE,
    verify: verifyRestored,
  },
} satisfies Scenarios;

/** The same from a snapshot. */
export const snapshotRestoreScenarios = {
  provision_database_service: {
    createRequest: async (context) => {
      const { db, env, customer, finishRequests } = context;
      const { id: snapshotId } = await snapshot(context);
      await finishRequests();
      const { requestId } = await requestDatabaseService(db, env, customer, { restore: { snapshotId } });
      return requestId;
    },
    afterSuccess: { ...RESTORED, db_snapshot: 1 },
    afterFailure: { ...DATABASE, db_snapshot: 1 },
    verify: verifyRestored,
  },
} satisfies Scenarios;

async function verifyRestored({ db, aws }: ScenarioContext, { resourceId }: { resourceId: string }): Promise<void> {
  const { servers, firewalls } = await db.databaseService.findUniqueOrThrow({
    where: { id: resourceId },
    include: { servers: true, firewalls: true },
  });
  const [master] = servers;
  const found = await describeDbInstance(master?.provisionedId ?? "")(aws);
  deepEqual([master?.state, found?.status], ["available", "available"]);
  deepEqual(found?.securityGroupIds, [firewalls[0]?.provisionedId]);
  deepEqual([found?.maintenanceWindow, found?.backupWindow], ["sun:04:30-sun:05:00", "03:00-04:00"]);
}
