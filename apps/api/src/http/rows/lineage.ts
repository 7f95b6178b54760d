import { Prisma } from "@gantry/db";
import { idTypeOf, modelOf, parentsOf, type ResourceType, resources, resourceTypes } from "@gantry/resources";
import { referenceTo, table } from "./rows.js";

/** The ids of records, by their types. */
export type NamedRecords = ReadonlyMap<ResourceType, readonly (string | number)[]>;

/**
 * A query for records that are not deleted and all that they need at any depth. Its rows have `type` and `id` as text, and
 * `needed`, which is false for the named records themselves.
 */
export function lineageOf(named: NamedRecords): Prisma.Sql {
  const types = typesOf([...named.keys()]);
  const tables = types.flatMap((type) => tablesOf(type, named.get(type) ?? [], types));
  const rows = types.flatMap((type) => rowsOf(type));
  return Prisma.sql`WITH ${Prisma.join(tables)} ${Prisma.join(rows, " UNION ALL ")}`;
}

/** The types of the records that one needs, or, if it is never deleted, those to which it refers. */
function needsOf(type: ResourceType): ResourceType[] {
  const { deletable, references } = resources[type];
  return deletable === false ? resourceTypes.filter((other) => Object.hasOwn(references, other)) : parentsOf(type);
}

/** The types, and those that they need at any depth; each before those that it needs. */
function typesOf(types: ResourceType[]): ResourceType[] {
  const all = new Set(types);
  for (const type of all) for (const parent of needsOf(type)) all.add(parent);
  return [...all].sort((one, other) => heightOf(other) - heightOf(one));
}

function heightOf(type: ResourceType): number {
  return Math.max(0, ...needsOf(type).map((parent) => heightOf(parent) + 1));
}

/** The common tables of a type: its named rows that are not deleted, and these with the rows that others need. */
function tablesOf(type: ResourceType, ids: readonly (string | number)[], types: ResourceType[]): Prisma.Sql[] {
  const stored = table(modelOf(type));
  const isThere = Prisma.raw(resources[type].deletable === false ? "true" : "deleted_at IS NULL");
  const byId = Prisma.sql`id = ANY(${ids.map(String)}::${Prisma.raw(idTypeOf(type))}[])`;
  const sources = [
    Prisma.sql`SELECT id FROM ${alias("named", type)}`,
    ...types
      .filter((each) => needsOf(each).includes(type))
      .map((each) => Prisma.sql`SELECT ${referenceTo(type)} FROM ${alias("all", each)}`),
  ];
  const columns = [Prisma.sql`id`, ...needsOf(type).map(referenceTo)];
  // An array of ids, so that the rows are read by the index.
  return [
    Prisma.sql`${alias("named", type)} AS (SELECT id FROM ${stored} WHERE ${byId} AND ${isThere})`,
    Prisma.sql`${alias("all", type)} AS (SELECT ${Prisma.join(columns)} FROM ${stored}
      WHERE id = ANY(ARRAY(${Prisma.join(sources, " UNION ALL ")})))`,
  ];
}

function rowsOf(type: ResourceType): Prisma.Sql[] {
  return [
    Prisma.sql`SELECT ${type}::text AS type, id::text AS id, false AS needed FROM ${alias("named", type)}`,
    ...needsOf(type).map(
      (parent) => Prisma.sql`SELECT ${parent}::text, ${referenceTo(parent)}::text, true FROM ${alias("all", type)}`,
    ),
  ];
}

function alias(which: "named" | "all", type: ResourceType): Prisma.Sql {
  return Prisma.raw(`"${which}_${type}"`);
}
