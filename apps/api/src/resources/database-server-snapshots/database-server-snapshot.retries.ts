import { noFurtherRules, type RetryRules } from "../retry-rule.js";
import { findServerToSnapshot } from "./database-server-snapshot.rules.js";

export const databaseServerSnapshotRetries = {
  provision_database_server_snapshot: async ({ caller, db, id }) => {
    const { databaseServerId } = await caller.find("databaseServerSnapshot", id);
    await findServerToSnapshot(caller, db, databaseServerId);
  },
  deprovision_database_server_snapshot: noFurtherRules,
} satisfies RetryRules;
