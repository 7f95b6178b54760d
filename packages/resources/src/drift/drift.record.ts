import type { Drift, DriftRegion } from "@gantry/db";
import { z } from "zod";
import { type CollectionType, collectionOf } from "../declarations/collections.js";
import { field, uuid } from "../declarations/fields.js";
import { type Link, linkTo } from "../declarations/links.js";
import { wireRecord } from "../declarations/record.js";
import { isoOrNull, timestamp } from "../declarations/timestamps.js";
import { changeableFields } from "./restorable-changes.js";

export const FINDINGS = ["changed", "disappeared", "orphan"] as const;

const fieldValues = z.record(z.string(), z.string().nullable());
type FieldValues = z.infer<typeof fieldValues>;

export const drift = wireRecord({
  name: "drift",
  plural: "drift",
  record: z
    .object({
      id: uuid,
      created_at: timestamp.describe("When it was first found"),
      last_seen_at: timestamp,
      finding: z
        .enum(FINDINGS)
        .describe("Whether the object changed or disappeared without a Request, or has Gantry's tags but no record"),
      kind: field(z.string(), "volume", "The kind of object in AWS, such as instance, volume or vpc"),
      provisioned_id: field(z.string(), "vpc-0123456789abcdef0", "The id in AWS"),
      location: field(z.string(), "us-east-1", "Region id"),
      before: fieldValues.nullable().describe("The record's values; null for an orphan"),
      after: fieldValues.nullable().describe("AWS's values, which the record now has; null for an orphan"),
      tags: z.record(z.string(), z.string()).describe("An orphan's tags in AWS"),
      provider: linkTo("providers"),
      resource: linkTo("servers").nullable().describe("The record; null for an orphan"),
    })
    .meta({ id: "Drift" }),
  computed: (row: Drift, link) => ({
    finding: row.finding as (typeof FINDINGS)[number],
    provisioned_id: row.cloudId,
    location: row.region,
    before: byField(row.resourceType, row.before as FieldValues | null),
    after: byField(row.resourceType, row.after as FieldValues | null),
    tags: row.tags as Record<string, string>,
    resource:
      row.resourceType && row.resourceId && link(collectionOf(row.resourceType as CollectionType), row.resourceId),
  }),
});

function byField(resourceType: string | null, values: FieldValues | null): FieldValues | null {
  const fields = changeableFields(resourceType);
  return values && Object.fromEntries(Object.entries(values).map(([name, value]) => [fields.get(name) ?? name, value]));
}

/** A region of a provider, with the state of its scan. */
export const driftPlace = z
  .object({
    location: field(z.string(), "us-east-1", "Region id"),
    provider: linkTo("providers"),
    last_looked_at: timestamp.nullable().describe("When the region was last scanned; null until then"),
    message: field(z.string().nullable(), "the instance is running", "Why the last scan was incomplete"),
    left_out: z
      .array(z.string())
      .describe(
        "Ids in AWS of at most 100 objects that the last scan left out, since a Request changed them a moment ago",
      ),
  })
  .meta({ id: "DriftPlace" });

export function serializePlace(row: DriftRegion, link: Link): z.input<typeof driftPlace> {
  return {
    location: row.region,
    provider: link("providers", row.providerId),
    last_looked_at: isoOrNull(row.lastScannedAt),
    message: row.message,
    left_out: row.leftOut,
  };
}
