import { Prisma, tableOf } from "@gantry/db";
import { type ResourceType, resources } from "./catalogue.js";
import { idTypeOf } from "./declarations/collections.js";
import type { ResourceFacts } from "./declarations/facts.js";
import { modelOf } from "./relations.js";

/** The keys of the tags that Gantry sets itself on an object in AWS. */
export const GANTRY_TAG_KEYS = [
  "Name",
  "gantry:account",
  "gantry:environment",
  "gantry:request",
  "gantry:resource",
  "gantry:role",
  "gantry:token",
] as const;

export type GantryTagKey = (typeof GANTRY_TAG_KEYS)[number];

/** The tags that AWS allows on one object, not counting its own with the prefix `aws:`. */
const AWS_TAG_LIMIT = 50;

/** The greatest number of a record's own tags: those that AWS allows and Gantry does not need itself. */
export const OWN_TAG_LIMIT = AWS_TAG_LIMIT - GANTRY_TAG_KEYS.length;

/** The resource types whose records have their own tags. */
export const taggedTypes = (Object.keys(resources) as ResourceType[]).filter((type) => resources[type].tagged);

const ID = { integer: /^\d{1,9}$/, uuid: /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i };

/**
 * The tags of a record as a value of SQL: its own, and `Name` if its type has that tag from a column. `{}` if it has
 * none.
 */
export function recordTags(
  { type, id }: { type: string; id: string },
  { withName }: { withName: boolean },
): Prisma.Sql {
  const facts: Readonly<Record<string, ResourceFacts | undefined>> = resources;
  const definition = facts[type];
  if (!definition?.tagged || !ID[idTypeOf(type as ResourceType)].test(id)) return Prisma.sql`'{}'::jsonb`;
  const key = Prisma.sql`${id}::${Prisma.raw(idTypeOf(type as ResourceType))}`;
  const name = definition.nameTag && withName ? Prisma.raw(`"${definition.nameTag}"`) : Prisma.sql`NULL`;
  return Prisma.sql`coalesce((
    SELECT jsonb_strip_nulls(jsonb_build_object('Name', ${name})) || tags
    FROM ${Prisma.raw(`"${tableOf(modelOf(type as ResourceType))}"`)} WHERE id = ${key}), '{}')`;
}
