import type { Drift, DriftPlace } from "@gantry/db";
import { type ResourceType, resources } from "@gantry/requests";
import { z } from "zod";
import { iso, isoOrNull, type Link, resource, timestamp } from "../../http/resource.js";

export const FINDINGS = ["changed", "disappeared", "orphan"] as const;

const said = z.record(z.string(), z.string().nullable());

export const drift = resource({
  name: "drift",
  plural: "drift",
  record: z
    .object({
      id: z.uuid(),
      created_at: timestamp.describe("When it was first noticed"),
      last_seen_at: timestamp,
      finding: z
        .enum(FINDINGS)
        .describe("The thing changed or disappeared without a Request, or nothing on record knows what bears our tags"),
      kind: z.string().describe("What it is in AWS, such as instance, volume or vpc"),
      provisioned_id: z.string().describe("AWS's id"),
      location: z.string().describe("Region id"),
      before: said.nullable().describe("What the record said; null for an orphan"),
      after: said.nullable().describe("What AWS said, and the record says since; null for an orphan"),
      tags: z.record(z.string(), z.string()).describe("An orphan's tags in AWS"),
      provider: z.url(),
      resource: z.url().nullable().describe("The record; null for an orphan"),
    })
    .meta({ id: "Drift" }),
  serialize: (row: Drift, link) => ({
    id: row.id,
    created_at: iso(row.createdAt),
    last_seen_at: iso(row.lastSeenAt),
    finding: row.finding as (typeof FINDINGS)[number],
    kind: row.kind,
    provisioned_id: row.cloudId,
    location: row.region,
    before: row.before as z.infer<typeof said> | null,
    after: row.after as z.infer<typeof said> | null,
    tags: row.tags as Record<string, string>,
    provider: link("providers", row.providerId),
    resource:
      row.resourceType &&
      row.resourceId &&
      link(resources[row.resourceType as ResourceType].collection, row.resourceId),
  }),
});

/** One region of a provider, and how the sweep fares there. */
export const driftPlace = z
  .object({
    location: z.string().describe("Region id"),
    provider: z.url(),
    last_looked_at: timestamp.nullable().describe("When everything in it was last compared; null until then"),
    message: z.string().nullable().describe("Why the last pass did not see everything"),
  })
  .meta({ id: "DriftPlace" });

export function placeOf(row: DriftPlace, link: Link): z.input<typeof driftPlace> {
  return {
    location: row.region,
    provider: link("providers", row.providerId),
    last_looked_at: isoOrNull(row.lastLookedAt),
    message: row.message,
  };
}
