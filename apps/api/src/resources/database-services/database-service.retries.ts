import type { DatabaseStorageType } from "@gantry/aws-facts";
import type { Tx } from "@gantry/db";
import type { InputOf } from "@gantry/resources";
import { locked, type RetryRules } from "../retry-rule.js";
import { requireRestorable } from "./database-service.restore.js";
import { findMaster, requireAllowedDatabase, requireFreeName, requireUnprotected } from "./database-service.rules.js";

export const databaseServiceRetries = {
  provision_database_service: async ({ caller, db, id, input }) => {
    const service = await caller.find("databaseService", id);
    const { accountId, providerId, networkId, environmentId, serviceLevel, name } = service;
    const { engine, version, flavor, location, ...master } = await findMaster(db, service);
    const storageType = master.storageType === "aurora" ? undefined : (master.storageType as DatabaseStorageType);
    await requireAllowedDatabase(caller, db, await caller.find("provider", providerId), {
      ...{ engine, version, flavor, location, serviceLevel, networkId, environmentId },
      storage: storageType && master.storageGb,
      modifiers: { multi_az: master.multiAz, storage_type: storageType },
      encrypted: master.storageEncrypted,
    });
    const source = await findSource(db, input);
    if (source)
      await requireRestorable(caller, db, await caller.find("databaseService", source.databaseServiceId), input);
    await requireFreeName(db, accountId, name, id);
  },
  rotate_database_credentials: null,
  deprovision_database_service: locked("databaseService", async (_db, service) => requireUnprotected(service)),
} satisfies RetryRules;

/** The database server that a database is restored from, by its backups or a snapshot; undefined for a new database. */
async function findSource(db: Tx, { sourceServerId, snapshotId }: InputOf<"provision_database_service">) {
  if (sourceServerId) return db.databaseServer.findUniqueOrThrow({ where: { id: sourceServerId } });
  if (!snapshotId) return undefined;
  const snapshot = await db.databaseServerSnapshot.findUniqueOrThrow({
    where: { id: snapshotId },
    include: { databaseServer: true },
  });
  return snapshot.databaseServer;
}
