import { Prisma } from "@gantry/db";
import { GANTRY_TAG_KEYS, OWN_TAG_LIMIT, type Tags } from "@gantry/resources";
import { z } from "zod";
import { invalid } from "../errors/errors.js";
import type { Filter } from "./filters.js";

// What every service of AWS accepts ("Tag restrictions" of EC2, RDS, IAM and Auto Scaling).
const CHARACTERS = /^[\p{L}\p{N}\p{Z}_.:/=+\-@]*$/u;
const RESERVED_PREFIX = /^(aws|rds|gantry):/i;

/** The message for a key that a tag cannot have, or for its value. */
function problemOf(key: string, value: string): string | undefined {
  const prefix =
    RESERVED_PREFIX.exec(key)?.[0] ?? (/^gantry:/i.test(value) ? undefined : RESERVED_PREFIX.exec(value)?.[0]);
  if (prefix) return `starts with ${prefix}, which is reserved`;
  if (GANTRY_TAG_KEYS.some((own) => own.toLowerCase() === key.toLowerCase()))
    return "is a tag that Gantry sets; choose another key";
  if (key.trim() === "" || key.length > 128) return "must have a key of 1 to 128 characters";
  if (value.length > 256) return "must have a value of at most 256 characters";
  if (!CHARACTERS.test(key + value)) return "must contain only letters, digits, spaces and _.:/=+-@";
  return undefined;
}

/** Tags of a body, by key, as every service of AWS accepts them. */
export const tagsInput = z
  .record(z.string(), z.string())
  .superRefine((tags, context) => {
    const add = (message: string, ...path: string[]) => void context.addIssue({ code: "custom", message, path });
    const keys = new Set<string>();
    for (const [key, value] of Object.entries(tags)) {
      const message = problemOf(key, value);
      if (message) add(message, key);
      // IAM does not distinguish keys that differ only in case.
      else if (keys.has(key.toLowerCase())) add("differs from another key only in case", key);
      keys.add(key.toLowerCase());
    }
    if (keys.size > OWN_TAG_LIMIT) add(`must contain at most ${OWN_TAG_LIMIT} tags`);
  })
  .meta({ examples: [{ team: "shop" }] })
  .describe(
    `Tags for its objects in AWS, by key; at most ${OWN_TAG_LIMIT}. Keys have 1 to 128 characters, values at most 256: letters, digits, spaces and _.:/=+-@. The prefixes aws:, rds: and gantry: and the key Name are reserved`,
  );

/** The tags of a new record in a body. */
export const ownTags = tagsInput.optional().transform((tags): Tags => tags ?? {});

/**
 * The tags of a new record: its own, and those of the records that it inherits from, of which the nearest wins.
 *
 * @param sources the tags, the farthest first
 * @param path the field that errors name
 * @throws 422 if they are more than AWS accepts, or differ only in case
 */
export function mergedTags(path: string, ...sources: unknown[]): Tags {
  const merged: Tags = Object.assign({}, ...sources);
  const parsed = tagsInput.safeParse(merged);
  if (!parsed.success) throw invalid(path, `together with inherited tags: ${parsed.error.issues[0]?.message}`);
  return merged;
}

/** Rows that have every tag of the filter, each written as `key:value`; for an empty filter, rows without tags. */
export const tagFilter: Filter = {
  value: z
    .string()
    .regex(/^[^:]+:/, "must be a tag in the form key:value")
    .meta({ examples: ["team:shop"] }),
  condition: (values) => {
    if (values === null) return Prisma.sql`tags = '{}'`;
    return Prisma.sql`(${Prisma.join((values as string[]).map(carries), " AND ")})`;
  },
};

// A key may hold colons too.
function carries(text: string): Prisma.Sql {
  const colons = [...text.matchAll(/:/g)].map(({ index }) => index);
  const readings = colons.map((at) => JSON.stringify({ [text.slice(0, at)]: text.slice(at + 1) }));
  return Prisma.sql`tags @> ANY(${readings}::jsonb[])`;
}
