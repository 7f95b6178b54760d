import { findDatabaseOffers } from "../database-engines/database-engine.offers.js";
import { requireFreeName } from "../database-services/database-service.rules.js";
import { locked, type RetryRules } from "../retry-rule.js";
import { findActionableServer } from "./database-server.actions.js";
import { requireAllowedChanges } from "./database-server.modification.js";
import { findPromotableReplica } from "./database-server.promotion.js";
import { requireAllowedReplica, requireRemovableReplica } from "./database-server.replicas.js";

export const databaseServerRetries = {
  provision_database_server: async ({ caller, db, id }) => {
    const replica = await caller.find("databaseServer", id);
    const service = await caller.find("databaseService", replica.databaseServiceId, "update");
    const source = await caller.find("databaseServer", replica.replicationSourceId ?? id);
    await requireAllowedReplica(db, service, source, replica, "replication_source", id);
  },
  modify_database_server: async ({ caller, db, id, input }) => {
    const { databaseServiceId } = await caller.find("databaseServer", id);
    await caller.find("databaseService", databaseServiceId, "update");
    const server = await caller.find("databaseServer", id, "update");
    // RDS may have accepted the change before the Request failed.
    const { offers } = await findDatabaseOffers(db, server);
    await requireAllowedChanges(db, server, input, offers);
  },
  update_database_server: async ({ caller, db, id, input }) => findActionableServer(caller, db, id, input),
  promote_database_server: async ({ caller, db, id, input }) => {
    const { databaseServiceId } = await caller.find("databaseServer", input.serverId);
    // The Request may have failed after the move.
    if (databaseServiceId === id) return;
    await findPromotableReplica(caller, db, input.serverId);
    const { accountId, name } = await caller.find("databaseService", id);
    await requireFreeName(db, accountId, name, id);
  },
  deprovision_database_server: locked("databaseServer", requireRemovableReplica),
} satisfies RetryRules;
