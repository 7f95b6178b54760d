import type { FactsOf } from "../declarations/facts.js";

export const databaseServerFacts = {
  references: { database_service: "whole", provider: "other" },
  cloudObject: { kinds: ["db_instance"], column: "provisioned_id" },
  drift: {
    columns: [
      "state",
      "endpoint",
      "version",
      "flavor",
      "storage_gb",
      "storage_type",
      "iops",
      "multi_az",
      "backup_retention_period",
      "certificate_authority",
    ],
    goneState: "deleted",
  },
  tagged: true,
  sealed: ["password"],
  events: {},
} as const satisfies FactsOf<"database_server">;
