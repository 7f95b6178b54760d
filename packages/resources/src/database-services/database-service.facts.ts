import type { FactsOf } from "../declarations/facts.js";

export const databaseServiceFacts = {
  references: { provider: "parent", network: "parent", environment: "other" },
  cloudObject: { kinds: ["db_cluster"], column: "cluster_id" },
  tagged: true,
  sealed: ["password"],
  events: {},
} as const satisfies FactsOf<"database_service">;
