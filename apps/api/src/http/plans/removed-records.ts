import { Prisma, type Tx } from "@gantry/db";
import {
  field,
  idTypeOf,
  modelOf,
  partsOf,
  type RequestType,
  type ResourceType,
  requestTypeDefinition,
  resources,
} from "@gantry/resources";
import { z } from "zod";
import { removalsBy } from "../conflicts/request-conflicts.js";
import { referenceTo, table } from "../rows/rows.js";

export const removedRecord = z
  .object({
    type: field(z.string(), "server"),
    id: field(z.string(), "5"),
    name: field(z.string().nullable(), "web-2"),
    provisioned_id: field(z.string().nullable(), "i-0123456789abcdef0", "Its id in AWS"),
  })
  .meta({ id: "RemovedRecord" });

type RemovedRecord = z.infer<typeof removedRecord>;

/**
 * The records that a Request and its children remove, with their parts but the rules of firewalls; each before what belongs
 * to it.
 */
export async function removedRecords(
  db: Tx,
  type: RequestType,
  subject: Parameters<typeof removalsBy>[1],
): Promise<RemovedRecord[]> {
  const removed: RemovedRecord[] = [];
  for (const { type: removal, resource } of removalsBy(type, subject))
    removed.push(...(await removedBy(db, removal, resource)));
  return removed;
}

async function removedBy(
  db: Tx,
  type: RequestType,
  { type: ofType, id }: { type: ResourceType; id: string | number },
): Promise<RemovedRecord[]> {
  const { removesRecord, removesToo = [] } = requestTypeDefinition(type);
  const isOne = Prisma.sql`t.id = ${id}::${Prisma.raw(idTypeOf(ofType))}`;
  const own = removesRecord ? await rowsOf(db, ofType, isOne) : [];
  const below = removesRecord ? partsOf(ofType) : [];
  return [...own, ...(await partsIn(db, ofType, [String(id)], new Set([...removesToo, ...below])))];
}

async function partsIn(
  db: Tx,
  whole: ResourceType,
  ids: readonly string[],
  types: ReadonlySet<ResourceType>,
): Promise<RemovedRecord[]> {
  const found: RemovedRecord[] = [];
  for (const type of types) {
    const isPart = Prisma.sql`t.${referenceTo(whole)} = ANY(${ids}::${Prisma.raw(idTypeOf(whole))}[])`;
    const stays = resources[type].staysUnlessMadeWithWhole ? madeAlone(type, whole) : Prisma.sql`false`;
    const rows = await rowsOf(db, type, Prisma.sql`${isPart} AND NOT ${stays}`);
    found.push(...rows);
    const known = rows.map((row) => row.id);
    if (known.length > 0) found.push(...(await partsIn(db, type, known, new Set(partsOf(type)))));
  }
  return found;
}

/** Whether the cloud object of a part `t` was created by a Request on something other than its whole. */
function madeAlone(type: ResourceType, whole: ResourceType): Prisma.Sql {
  return Prisma.sql`EXISTS (
    SELECT 1 FROM cloud_objects o JOIN requests r ON r.id = o.request_id
    WHERE o.resource_type = ${type} AND o.resource_id = t.id::text AND o.removed_at IS NULL
      AND (r.resource_type <> ${whole} OR r.resource_id <> t.${referenceTo(whole)}::text))`;
}

function rowsOf(db: Tx, type: ResourceType, where: Prisma.Sql): Promise<RemovedRecord[]> {
  const isThere = Prisma.raw(resources[type].deletable === false ? "true" : "t.deleted_at IS NULL");
  return db.$queryRaw<RemovedRecord[]>`
    SELECT ${type}::text AS type, t.id::text AS id, to_jsonb(t)->>'name' AS name,
      to_jsonb(t)->>'provisioned_id' AS provisioned_id
    FROM ${table(modelOf(type))} t WHERE ${where} AND ${isThere} ORDER BY t.id`;
}
