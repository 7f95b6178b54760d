import { v7 as uuidv7 } from "uuid";
import { existingRules } from "../aws/ec2/security-group-rule.js";
import { holdRegion } from "./region-claim.js";
import type { ScanContext, ScanStep } from "./scan-step.js";

const PAGE_SIZE = 100;
const KIND = "security_group_rule";

interface Rule {
  id: number;
  cloudId: string;
  updatedAt: Date;
}

/** Records each firewall rule that AWS no longer has. The record of the rule stays as it is. */
export const firewallRulesStep: ScanStep = {
  name: "firewall rules",
  async page(context, after) {
    const { db, claimed } = context;
    const rules = await db.$queryRaw<Rule[]>`
      SELECT r.id, r.provisioned_id AS "cloudId", r.updated_at AS "updatedAt"
      FROM firewall_rules r JOIN firewalls f ON f.id = r.firewall_id
      WHERE f.provider_id = ${claimed.providerId} AND f.region = ${claimed.region} AND r.deleted_at IS NULL
        AND r.provisioned_id IS NOT NULL AND r.id > ${Number(after ?? 0)}
      ORDER BY r.id LIMIT ${PAGE_SIZE}`;
    if (rules.length === 0) return null;
    const existing = await context.call(existingRules(rules.map(({ cloudId }) => cloudId)));
    const missing = rules.filter(({ cloudId }) => !existing.has(cloudId));
    if (missing.length > 0) await recordMissing(context, missing);
    return rules.length < PAGE_SIZE ? null : String(rules.at(-1)?.id);
  },
  async end({ db, claimed }, since) {
    await db.$executeRaw`
      DELETE FROM drifts d USING (${holdRegion(claimed)}) held
      WHERE d.provider_id = ${claimed.providerId} AND d.region = ${claimed.region} AND d.kind = ${KIND}
        AND d.finding = 'disappeared' AND d.last_seen_at < ${since}::timestamptz`;
  },
};

// A rule that was written after it was read, or recently, or that a Request works on, is not compared.
async function recordMissing({ db, claimed, quietSeconds, leftOut }: ScanContext, rules: Rule[]): Promise<void> {
  const { accountId, providerId, region } = claimed;
  const missing = rules.map(({ id, cloudId, updatedAt }) => ({
    id,
    cloud_id: cloudId,
    updated_at: updatedAt,
    finding_id: uuidv7(),
  }));
  const left = await db.$queryRaw<{ cloudId: string }[]>`
    WITH held AS (${holdRegion(claimed)}),
    seen AS (SELECT * FROM jsonb_to_recordset(${JSON.stringify(missing)}::jsonb) AS s(id integer, cloud_id text,
      updated_at timestamptz, finding_id uuid)),
    found AS (
    INSERT INTO drifts (id, account_id, provider_id, region, finding, kind, cloud_id, resource_type, resource_id, before, after)
    SELECT seen.finding_id, ${accountId}::uuid, ${providerId}, ${region}, 'disappeared', ${KIND}, seen.cloud_id,
      'firewall_rule', seen.id::text, jsonb_build_object('provisioned_id', seen.cloud_id),
      jsonb_build_object('provisioned_id', NULL)
    FROM held, seen JOIN firewall_rules r ON r.id = seen.id AND r.updated_at = seen.updated_at AND r.deleted_at IS NULL
      JOIN firewalls f ON f.id = r.firewall_id
    WHERE r.updated_at <= now() - make_interval(secs => ${quietSeconds}) AND NOT EXISTS (
      SELECT 1 FROM requests q WHERE q.account_id = r.account_id AND q.finished_at IS NULL
        AND (q.resource_type, q.resource_id) IN (('firewall_rule', r.id::text), ('firewall', f.id::text),
          ('environment', f.environment_id::text), ('database_service', f.database_service_id::text)))
    ON CONFLICT (provider_id, region, kind, cloud_id, finding) DO UPDATE SET last_seen_at = now() RETURNING cloud_id)
    SELECT cloud_id AS "cloudId" FROM seen WHERE cloud_id NOT IN (SELECT cloud_id FROM found)`;
  for (const { cloudId } of left) leftOut.add(cloudId);
}
