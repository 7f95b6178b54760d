import { locked, type RetryRules } from "../retry-rule.js";
import { requireAllowedReplica, requireRemovableReplica } from "./database-server.replicas.js";

export const databaseServerRetries = {
  provision_database_server: async ({ caller, db, id }) => {
    const replica = await caller.find("databaseServer", id);
    const service = await caller.find("databaseService", replica.databaseServiceId, "update");
    const source = await caller.find("databaseServer", replica.replicationSourceId ?? id);
    await requireAllowedReplica(db, service, source, replica, "replication_source", id);
  },
  deprovision_database_server: locked("databaseServer", requireRemovableReplica),
} satisfies RetryRules;
