import { holdRegion } from "./region-claim.js";
import type { ScanStep } from "./scan-step.js";

/**
 * Copies the versions that RDS chose for masters to the records of their databases, which lists show without a join.
 */
export const databaseVersionsStep: ScanStep = {
  name: "database versions",
  page: async () => null,
  async end({ db, claimed }) {
    await db.$executeRaw`
      UPDATE database_services s SET version = m.version, updated_at = now()
      FROM (${holdRegion(claimed)}) held, database_servers m
      WHERE m.database_service_id = s.id AND m.replication_source_id IS NULL AND m.deleted_at IS NULL
        AND s.provider_id = ${claimed.providerId} AND s.region = ${claimed.region} AND s.version <> m.version`;
  },
};
