import type { FactsOf } from "../declarations/facts.js";

export const databaseServerSnapshotFacts = {
  references: { provider: "parent", database_server: "parent" },
  cloudObject: { kinds: ["db_snapshot", "db_cluster_snapshot"], column: "provisioned_id" },
  tagged: true,
  events: {},
} as const satisfies FactsOf<"database_server_snapshot">;
