import { Prisma, type Tx } from "@gantry/db";
import {
  dependentsOf,
  modelOf,
  nameOf,
  type RequestType,
  type ResourceType,
  requestTypeDefinition,
  requestTypes,
  resources,
} from "@gantry/requests";
import { conflict } from "./errors.js";
import { referenceTo, table } from "./rows.js";

interface Removal {
  accountId: string;
  resource: { type: ResourceType; id: string | number };
}

const typesWhere = (holds: (type: RequestType) => boolean) =>
  (Object.keys(requestTypes) as RequestType[]).filter(holds);

/** The Requests that a removal of their record cannot queue behind. */
const NOT_QUEUED_BEHIND = typesWhere((type) => {
  const { addsDependents, removesRecord } = requestTypeDefinition(type);
  return Boolean(addsDependents ?? removesRecord);
});

/** The fields of inputs that refer to records. */
const USES = typesWhere((type) => requestTypeDefinition(type).uses !== undefined).flatMap((type) =>
  Object.entries(requestTypeDefinition(type).uses ?? {}).map(([field, used]) => ({ type, field, used })),
);

/**
 * Requires that no unfinished Request creates, changes or uses what a new Request would remove, except those that the new
 * Request waits for: on the same record, and on the records that it removes by children. Does nothing for Requests that
 * remove nothing. The caller holds a lock on the record's row, and so does each opening of a Request that uses the record.
 *
 * @throws 409 that names the unfinished Requests
 */
export async function assertRemovable(db: Tx, type: RequestType, { accountId, resource }: Removal): Promise<void> {
  const { removesRecord, removesToo = [] } = requestTypeDefinition(type);
  if (!removesRecord && removesToo.length === 0) return;
  const id = String(resource.id);
  const isOwn = Prisma.sql`(r.resource_type = ${resource.type} AND r.resource_id = ${id})`;
  const isWaitedFor = Prisma.sql`(${isOwn} OR r.resource_type = ANY(${[...removesToo]}))`;
  const parts = descendantsOf(resource.type, Prisma.sql`= ${asId(resource.type, Prisma.sql`${id}`)}`);
  const removed = [
    { type: resource.type, where: Prisma.sql`id = ${asId(resource.type, Prisma.sql`${id}`)}` },
    ...parts,
  ];
  const using = removed
    .filter((each) => each.type === resource.type || removesToo.includes(each.type))
    .flatMap((each) => USES.filter(({ used }) => used === each.type).map((use) => usesAny(use, each.where)));
  const onParts = parts.map(
    (part) => Prisma.sql`(r.resource_type = ${part.type} AND EXISTS (SELECT 1 FROM ${table(modelOf(part.type))}
      WHERE ${part.where} AND id = CASE WHEN r.resource_type = ${part.type} THEN ${asId(part.type, Prisma.sql`r.resource_id`)} END))`,
  );
  const inTheWay = [...using, ...onParts];
  const others = inTheWay.length > 0 ? Prisma.join(inTheWay, " OR ") : Prisma.sql`false`;
  const found = await db.$queryRaw<{ id: string; type: string }[]>`
    SELECT r.id, r.type FROM requests r
    WHERE r.account_id = ${accountId}::uuid AND r.finished_at IS NULL AND r.parent_id IS NULL
      AND ((${isOwn} AND r.type = ANY(${NOT_QUEUED_BEHIND})) OR (NOT ${isWaitedFor} AND (${others})))
    ORDER BY r.seq LIMIT 20`;
  if (found.length === 0) return;
  const names = found.map((each) => `${each.type} ${each.id}`).join(", ");
  const has = found.length === 1 ? "an open request" : "open requests";
  throw conflict(`the ${nameOf(resource.type)} ${id} has ${has}: ${names}`, {
    about: { model: modelOf(resource.type), id },
    blocking: found.map((each) => `requests/${each.id}`),
  });
}

/** The types of the records that need a record, at any depth, each with the condition that selects those rows. */
function descendantsOf(type: ResourceType, isParent: Prisma.Sql): { type: ResourceType; where: Prisma.Sql }[] {
  return dependentsOf(type).flatMap((each) => {
    const where = Prisma.sql`${referenceTo(type)} ${isParent}`;
    const ids = Prisma.sql`IN (SELECT id FROM ${table(modelOf(each))} WHERE ${where})`;
    return [{ type: each, where }, ...descendantsOf(each, ids)];
  });
}

function usesAny({ type, field, used }: (typeof USES)[number], where: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`(r.type = ${type} AND EXISTS (
    SELECT 1 FROM ${table(modelOf(used))} WHERE ${where} AND r.input->${field} @> to_jsonb(id)))`;
}

function asId(type: ResourceType, text: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`${text}::${Prisma.raw(resources[type].id)}`;
}
