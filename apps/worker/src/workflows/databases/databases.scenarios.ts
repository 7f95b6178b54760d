import { addSnapshot, openDatabaseService, openReplica } from "@gantry/test/support/databases";
import type { Scenarios, Stage } from "@gantry/test/support/scenario";
import { open } from "@gantry/test/support/work";

const DATABASE = { security_group: 1, db_subnet_group: 1, db_parameter_group: 1, db_instance: 1 };

async function database({ db, env, customer, settle }: Stage) {
  const made = await openDatabaseService(db, env, customer);
  await settle();
  return made;
}

async function snapshot(stage: Stage): Promise<{ id: string; requestId: string }> {
  const { db, customer } = stage;
  const { masterId } = await database(stage);
  const { id } = await addSnapshot(db, customer, masterId);
  const resource = { type: "database_server_snapshot", id } as const;
  return { id, requestId: await open(db, customer, "provision_database_server_snapshot", resource, {}) };
}

export const databaseScenarios = {
  provision_database_service: {
    open: async ({ db, env, customer }) => (await openDatabaseService(db, env, customer)).requestId,
    afterSuccess: DATABASE,
    afterFailure: {},
  },
  deprovision_database_service: {
    open: async (stage) => {
      const { db, customer } = stage;
      const { id, masterId } = await database(stage);
      const { id: finalSnapshotId } = await addSnapshot(db, customer, masterId);
      const resource = { type: "database_service", id } as const;
      return open(db, customer, "deprovision_database_service", resource, { finalSnapshotId });
    },
    afterSuccess: { db_snapshot: 1 },
  },
  provision_database_server: {
    open: async (stage) => {
      const { masterId } = await database(stage);
      return (await openReplica(stage.db, stage.customer, masterId)).requestId;
    },
    afterSuccess: { ...DATABASE, db_instance: 2 },
    afterFailure: DATABASE,
  },
  deprovision_database_server: {
    open: async (stage) => {
      const { masterId } = await database(stage);
      const { id } = await openReplica(stage.db, stage.customer, masterId);
      await stage.settle();
      return open(stage.db, stage.customer, "deprovision_database_server", { type: "database_server", id }, {});
    },
    afterSuccess: DATABASE,
  },
  provision_database_server_snapshot: {
    open: async (stage) => (await snapshot(stage)).requestId,
    afterSuccess: { ...DATABASE, db_snapshot: 1 },
    afterFailure: DATABASE,
  },
  deprovision_database_server_snapshot: {
    open: async (stage) => {
      const { id } = await snapshot(stage);
      await stage.settle();
      const resource = { type: "database_server_snapshot", id } as const;
      return open(stage.db, stage.customer, "deprovision_database_server_snapshot", resource, {});
    },
    afterSuccess: DATABASE,
  },
} satisfies Scenarios;
