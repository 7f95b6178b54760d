import { describeDbInstance } from "../aws/rds/instance-state.js";
import { PAGE_SIZE } from "./compared-records.js";
import { holdRegion } from "./region-claim.js";
import type { ScanStep } from "./scan-step.js";

/** Gives records from before they had a CA the one that RDS shows, which is no drift. */
export const certificateAuthoritiesStep: ScanStep = {
  name: "certificate authorities",
  async page({ db, claimed, call }, after) {
    const rows = await db.$queryRaw<{ id: string; cloudId: string }[]>`
      SELECT id, provisioned_id AS "cloudId" FROM database_servers
      WHERE provider_id = ${claimed.providerId} AND region = ${claimed.region} AND deleted_at IS NULL
        AND provisioned_id IS NOT NULL AND certificate_authority IS NULL AND (${after}::uuid IS NULL OR id > ${after}::uuid)
      ORDER BY id LIMIT ${PAGE_SIZE}`;
    if (rows.length === 0) return null;
    const described = await call((aws) => Promise.all(rows.map((row) => describeDbInstance(row.cloudId)(aws))));
    const shown = rows.flatMap(({ id }, i) => {
      const authority = described[i]?.certificateAuthority;
      return authority ? [{ id, authority }] : [];
    });
    await db.$executeRaw`
      UPDATE database_servers t SET certificate_authority = seen.authority, updated_at = now()
      FROM (${holdRegion(claimed)}) held, jsonb_to_recordset(${JSON.stringify(shown)}::jsonb) AS seen(id uuid, authority text)
      WHERE t.id = seen.id AND t.certificate_authority IS NULL`;
    return rows.length < PAGE_SIZE ? null : (rows.at(-1)?.id ?? null);
  },
  end: async () => {},
};
