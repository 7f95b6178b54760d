import type { DatabaseStorageType } from "@gantry/aws-facts";
import { noFurtherRules, type RetryRules } from "../retry-rule.js";
import { findMaster, requireAllowedDatabase, requireFreeName } from "./database-service.rules.js";

export const databaseServiceRetries = {
  provision_database_service: async ({ caller, db, id }) => {
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
    await requireFreeName(db, accountId, name, id);
  },
  rotate_database_credentials: null,
  deprovision_database_service: noFurtherRules,
} satisfies RetryRules;
