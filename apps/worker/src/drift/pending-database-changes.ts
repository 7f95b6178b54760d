import type { DatabaseServer } from "@gantry/db";
import { type DatabaseSettings, pendingOf, pendingSettings } from "@gantry/resources";
import { type DbInstanceState, describeDbInstance, settingsOf } from "../aws/rds/instance-state.js";
import { PAGE_SIZE, workedOn } from "./compared-records.js";
import { holdRegion } from "./region-claim.js";
import type { ScanContext, ScanStep } from "./scan-step.js";

type Waiting = Pick<DatabaseServer, "id" | "updatedAt" | "pending"> & { cloudId: string };

// The states in which RDS makes changes. Any other state is a finding of the comparison that follows.
const CHANGING = ["available", "modifying", "upgrading", "rebooting", "storage-optimization", "storage-config-upgrade"];

/** True for a state that RDS shows while it makes changes, and before and after. */
export function isChanging(status: string): boolean {
  return CHANGING.includes(status);
}

/**
 * Gives records the changes that waited for the maintenance window, once RDS has made them, with the states in between. What
 * RDS was asked for is no drift.
 */
export const pendingDatabaseChangesStep: ScanStep = {
  name: "pending database changes",
  async page(context, after) {
    const rows = await fetchWaiting(context, after);
    if (rows.length === 0) return null;
    const described = await context.call((aws) => Promise.all(rows.map((row) => describeDbInstance(row.cloudId)(aws))));
    const changed = rows.flatMap((row, i) => changeOf(row, described[i]) ?? []);
    if (changed.length > 0) await update(context, changed);
    return rows.length < PAGE_SIZE ? null : (rows.at(-1)?.id ?? null);
  },
  end: async () => {},
};

async function fetchWaiting({ db, claimed }: ScanContext, after: string | null): Promise<Waiting[]> {
  return db.$queryRaw<Waiting[]>`
    SELECT id, updated_at AS "updatedAt", pending, provisioned_id AS "cloudId" FROM database_servers
    WHERE provider_id = ${claimed.providerId} AND region = ${claimed.region} AND deleted_at IS NULL
      AND provisioned_id IS NOT NULL AND pending IS NOT NULL AND (${after}::uuid IS NULL OR id > ${after}::uuid)
    ORDER BY id LIMIT ${PAGE_SIZE}`;
}

/** What a record gets of what RDS shows. */
interface Change {
  id: string;
  updated_at: Date;
  state: string;
  pending: object | null;
  settings: DatabaseSettings;
}

function changeOf(row: Waiting, seen: DbInstanceState | undefined): Change | undefined {
  if (!seen || !isChanging(seen.status)) return undefined;
  const former = pendingSettings(row);
  // RDS clears what it makes before it has optimized the storage.
  const isDone = seen.status === "available";
  const pending = pendingOf(seen.pending) ?? (isDone ? null : pendingOf(former));
  const settings = Object.fromEntries(Object.entries(settingsOf(seen)).filter(([name]) => name in former));
  return { id: row.id, updated_at: row.updatedAt, state: seen.status, pending, settings };
}

async function update({ db, claimed, quietSeconds }: ScanContext, changed: Change[]): Promise<void> {
  await db.$executeRaw`
    WITH held AS (${holdRegion(claimed)}),
    seen AS (SELECT * FROM jsonb_to_recordset(${JSON.stringify(changed)}::jsonb)
      AS s(id uuid, updated_at timestamptz, state text, pending jsonb, settings jsonb)),
    written AS (
      UPDATE database_servers t SET state = seen.state, pending = seen.pending, updated_at = now(),
        flavor = coalesce(seen.settings->>'flavor', t.flavor),
        version = coalesce(seen.settings->>'version', t.version),
        storage_gb = coalesce((seen.settings->>'storageGb')::int, t.storage_gb),
        storage_type = coalesce(seen.settings->>'storageType', t.storage_type),
        iops = coalesce((seen.settings->>'iops')::int, t.iops),
        multi_az = coalesce((seen.settings->>'multiAz')::boolean, t.multi_az),
        certificate_authority = coalesce(seen.settings->>'certificateAuthority', t.certificate_authority)
      FROM held, seen
      WHERE t.id = seen.id AND t.updated_at = seen.updated_at AND t.deleted_at IS NULL
        AND (t.state, t.pending) IS DISTINCT FROM (seen.state, seen.pending)
        AND NOT EXISTS (${workedOn("database_server", quietSeconds)})
      RETURNING t.database_service_id, t.replication_source_id, t.flavor, t.multi_az)
    UPDATE database_services s SET master_flavor = w.flavor, master_multi_az = w.multi_az, updated_at = now()
    FROM written w
    WHERE s.id = w.database_service_id AND w.replication_source_id IS NULL
      AND (s.master_flavor, s.master_multi_az) IS DISTINCT FROM (w.flavor, w.multi_az)`;
}
