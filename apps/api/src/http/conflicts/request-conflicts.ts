import { Prisma, type Tx } from "@gantry/db";
import {
  dependentsOf,
  idTypeOf,
  modelOf,
  nameOf,
  type RequestType,
  type ResourceType,
  requestTypeDefinition,
  requestTypes,
} from "@gantry/resources";
import { conflict, type HttpError } from "../errors/errors.js";
import { lineageOf } from "../rows/lineage.js";
import { referenceTo, table } from "../rows/rows.js";

type Id = string | number;
type Ids = Id | Id[] | null | undefined;

interface Subject {
  accountId: string;
  resource: { type: ResourceType; id: Id };
}

interface Found {
  id: string;
  type: string;
}

const typesWhere = (holds: (type: RequestType) => boolean) =>
  (Object.keys(requestTypes) as RequestType[]).filter(holds);

/** The Requests that a removal of their record cannot queue behind. */
const NOT_QUEUED_BEHIND = typesWhere((type) => {
  const { addsDependents, removesRecord } = requestTypeDefinition(type);
  return Boolean(addsDependents ?? removesRecord);
});

/** The Requests that remove their record. */
const REMOVALS = typesWhere((type) => requestTypeDefinition(type).removesRecord !== undefined);

/** The Requests that remove records which need theirs. */
const REMOVALS_BELOW = typesWhere(removesSomething);

/** The fields of inputs that name records which children of the Request remove. */
const REMOVED_BY_CHILDREN = typesWhere((type) => requestTypeDefinition(type).removesEach !== undefined).flatMap(
  (type) =>
    Object.keys(requestTypeDefinition(type).removesEach ?? {}).flatMap((field) => {
      const removed = requestTypeDefinition(type).uses?.[field];
      return removed ? [{ type, field, removed }] : [];
    }),
);

/** The fields of inputs that refer to records. */
const USES = typesWhere((type) => requestTypeDefinition(type).uses !== undefined).flatMap((type) =>
  Object.entries(requestTypeDefinition(type).uses ?? {}).map(([field, used]) => ({ type, field, used })),
);

/** A Request as a removal, and the removals that it does by children; removals of nothing among them. */
export function removalsBy(type: RequestType, { resource, input }: Pick<Subject, "resource"> & { input: object }) {
  const { removesEach = {}, uses = {} } = requestTypeDefinition(type);
  const own: { type: RequestType; resource: Subject["resource"] } = { type, resource };
  const byChildren = Object.entries(removesEach).flatMap(([field, child]) => {
    const removed = uses[field];
    const ids = idsIn((input as Record<string, Ids>)[field]);
    return removed ? ids.map((id) => ({ type: child, resource: { type: removed, id } })) : [];
  });
  return [own, ...byChildren];
}

/**
 * Lets no removal in the account be accepted until the transaction ends, and if one of `types` is a removal, no other
 * Request either. The next statement sees what the earlier Requests have committed. Call it after all locks on rows: a call
 * that has this lock must not wait for a call that needs it.
 */
export async function lockConflicts(db: Tx, types: RequestType[], accountId: string): Promise<void> {
  const lock = Prisma.raw(`pg_advisory_xact_lock${types.some(removesSomething) ? "" : "_shared"}`);
  await db.$executeRaw`SELECT ${lock}(hashtextextended(${`gantry: conflicts of ${accountId}`}, 0))`;
}

/**
 * Requires that no unfinished Request removes the record of a new Request, a record that its input uses, or what one of
 * these needs at any depth. Does nothing for a Request that removes its own record: whatever is gone already is what it
 * would remove. Call it after `lockConflicts`, and after the insert of the record, which shows what it needs.
 *
 * @param type absent for a record that is created without a Request: locks on the rows that it needs then prevent
 * removals
 * @param subject `id`: the Request itself, once it is written
 * @throws 409 that names the unfinished Requests
 */
export async function assertNotBeingRemoved(
  db: Tx,
  type: RequestType | undefined,
  { id, resource, input }: Pick<Subject, "resource"> & { id?: string; input: object },
): Promise<void> {
  const definition = type && requestTypeDefinition(type);
  if (definition?.removesRecord) return;
  const idsByType = new Map([[resource.type, [resource.id]]]);
  for (const [field, used] of Object.entries(definition?.uses ?? {}))
    idsByType.set(used, [...(idsByType.get(used) ?? []), ...idsIn((input as Record<string, Ids>)[field])]);
  const blocking = await db.$queryRaw<(Found & { seq: bigint; onType: ResourceType; onId: string })[]>`
    WITH record AS (${lineageOf(idsByType)})
    SELECT DISTINCT r.seq, r.id, r.type, record.type AS "onType", record.id AS "onId"
    FROM record JOIN requests r ON r.queue_key = record.type || '/' || record.id
    WHERE r.finished_at IS NULL AND r.id IS DISTINCT FROM ${id ?? null}::uuid
      AND (r.type = ANY(CASE WHEN record.needed THEN ${REMOVALS_BELOW}::text[] ELSE ${REMOVALS}::text[] END)
        OR ${Prisma.join(REMOVED_BY_CHILDREN.map(removesAny), " OR ")})
    ORDER BY r.seq LIMIT 20`;
  const [first] = blocking;
  if (!first) return;
  const { onType, onId } = first;
  const onFirst = blocking.filter((each) => each.onType === onType && each.onId === onId);
  throw hasUnfinishedRequests({ type: onType, id: onId }, onFirst);
}

/** The unfinished Request that removes a row of a statement on the type's table, as a subquery in JSON. */
export function removalOf(type: ResourceType): Prisma.Sql {
  return Prisma.sql`(SELECT jsonb_build_object('id', r.id, 'type', r.type) FROM requests r
    WHERE r.queue_key = ${`${type}/`}::text || ${table(modelOf(type))}.id::text AND r.finished_at IS NULL AND r.type = ANY(${REMOVALS}::text[])
    ORDER BY r.seq LIMIT 1)`;
}

/** 409 because of unfinished Requests on a record, or on what needs it. */
export function hasUnfinishedRequests({ type, id }: Subject["resource"], found: Found[]): HttpError {
  const names = found.map((each) => `${each.type} ${each.id}`).join(", ");
  const has = found.length === 1 ? "an unfinished request" : "unfinished requests";
  return conflict(`${nameOf(type)} ${id} has ${has}: ${names}`, {
    about: { model: modelOf(type), id },
    blocking: found.map((each) => `requests/${each.id}`),
  });
}

/**
 * Requires that no unfinished Request creates, changes or uses what a new Request would remove, except those that the new
 * Request waits for: on the same record, and on the records that it removes by children. Does nothing for Requests that
 * remove nothing. Call it after `lockConflicts`.
 *
 * @throws 409 that names the unfinished Requests
 */
export async function assertRemovable(db: Tx, type: RequestType, { accountId, resource }: Subject): Promise<void> {
  if (!removesSomething(type)) return;
  const { removesToo = [] } = requestTypeDefinition(type);
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
  const found = await db.$queryRaw<Found[]>`
    SELECT r.id, r.type FROM requests r
    WHERE r.account_id = ${accountId}::uuid AND r.finished_at IS NULL AND r.parent_id IS NULL
      AND ((${isOwn} AND r.type = ANY(${NOT_QUEUED_BEHIND})) OR (NOT ${isWaitedFor} AND (${others})))
    ORDER BY r.seq LIMIT 20`;
  if (found.length > 0) throw hasUnfinishedRequests(resource, found);
}

function idsIn(ids: Ids): Id[] {
  return ids == null ? [] : [ids].flat();
}

/** True if a Request of the type removes records. */
export function removesSomething(type: RequestType): boolean {
  const { removesRecord, removesToo = [] } = requestTypeDefinition(type);
  return removesRecord !== undefined || removesToo.length > 0;
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

/** The Request's children remove one of the records; it is on a record that they need. */
function removesAny({ type, field, removed }: (typeof REMOVED_BY_CHILDREN)[number]): Prisma.Sql {
  return Prisma.sql`(r.type = ${type} AND EXISTS (SELECT 1 FROM record named WHERE named.type = ${removed}
    AND r.input->${field} @> to_jsonb(CASE WHEN named.type = ${removed} THEN ${asId(removed, Prisma.sql`named.id`)} END)))`;
}

function asId(type: ResourceType, text: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`${text}::${Prisma.raw(idTypeOf(type))}`;
}
