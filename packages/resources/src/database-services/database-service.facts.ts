import type { FactsOf } from "../declarations/facts.js";

export const databaseServiceFacts = {
  references: { provider: "parent", network: "parent", environment: "other" },
  cloudObject: { kinds: ["db_cluster"], column: "cluster_id" },
  tagged: true,
  sealed: ["password", "next_password"],
  events: { hidden: ["next_password_sent"], silent: ["next_password", "next_password_sent"] },
} as const satisfies FactsOf<"database_service">;
