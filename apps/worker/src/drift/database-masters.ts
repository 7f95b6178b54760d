import { workedOn } from "./compared-records.js";
import { holdRegion } from "./region-claim.js";
import type { ScanStep } from "./scan-step.js";

/** Copies what changed of masters in RDS to the records of their databases, which lists show without a join. */
export const databaseMastersStep: ScanStep = {
  name: "database masters",
  page: async () => null,
  async end({ db, claimed, quietSeconds }) {
    await db.$executeRaw`
      UPDATE database_services s SET version = t.version, master_flavor = t.flavor,
        master_multi_az = CASE WHEN s.master_multi_az IS NULL THEN NULL ELSE t.multi_az END, updated_at = now()
      FROM (${holdRegion(claimed)}) held, database_servers t
      WHERE t.database_service_id = s.id AND t.replication_source_id IS NULL AND t.deleted_at IS NULL
        AND s.provider_id = ${claimed.providerId} AND s.region = ${claimed.region} AND t.provisioned_id IS NOT NULL AND NOT EXISTS (${workedOn("database_server", quietSeconds)})
        AND (s.version, s.master_flavor, s.master_multi_az) IS DISTINCT FROM
          (t.version, t.flavor, CASE WHEN s.master_multi_az IS NULL THEN NULL ELSE t.multi_az END)`;
  },
};
