import { Prisma, type Request, type Tx } from "@gantry/db";
import {
  modelOf,
  nameOf,
  parentsOf,
  partsOf,
  type RequestType,
  type ResourceType,
  requestTypeDefinition,
  resources,
} from "@gantry/resources";
import type { Env } from "@gantry/runtime";
import type { Caller } from "../../http/auth/caller.js";
import { conflict } from "../../http/errors/errors.js";
import type { CreatedRequest, CreateRequest } from "../../http/plans/requested.js";
import { referenceTo, table } from "../../http/rows/rows.js";
import { unfinishedRequestsOn } from "../unfinished-requests.js";
import { RETRY_RULES } from "./retry.rules.js";

interface Retrying {
  db: Tx;
  caller: Caller;
  env: Env;
  createRequest: CreateRequest;
}

/** A record on which a Request worked. */
interface Subject {
  type: ResourceType;
  id: string;
}

/**
 * Repeats a failed Request as a new one, on the same resource and with the same input, if its endpoint would accept it
 * from the caller now. A resource that the failed provision removed is restored.
 *
 * @throws 409 if the Request did not fail or its resource does not allow it now, and what the rules of its type throw
 */
export async function createRetry(
  { db, caller, env, createRequest }: Retrying,
  failed: Request,
): Promise<CreatedRequest> {
  if (!failed.finishedAt || failed.successful) throw conflict(`request ${failed.id} has not failed`);
  if (failed.parentId)
    throw conflict(`request ${failed.id} was created by another request; retry ${failed.parentId} instead`, {
      blocking: [`requests/${failed.parentId}`],
    });
  const definition = requestTypeDefinition(failed.type);
  const type = failed.type as RequestType;
  const rule = definition && (RETRY_RULES[type] as AnyRule | null);
  if (definition?.insteadOfRetry)
    throw conflict(`a request of type ${type} cannot be retried; ${definition.insteadOfRetry}`);
  if (!definition || !rule || !failed.resourceType || !failed.resourceId)
    throw conflict("this version of Gantry cannot retry requests of this type");
  const resource: Subject = { type: failed.resourceType as ResourceType, id: failed.resourceId };
  const provisions = definition.onFailure === "compensate";
  await requireRetriable(db, resource, provisions);
  // It was parsed for this very type when the failed Request was accepted.
  let input: unknown = definition.input.parse(failed.input);
  const changeInput = (changed: unknown) => {
    input = changed;
  };
  await rule({ caller, db, env, id: resource.id, input, changeInput });
  await restoreResource(db, resource, provisions);
  return createRequest(type, { accountId: failed.accountId, resource, input: input as never });
}

type AnyRule = (retry: object) => Promise<unknown>;

function deletedOf(type: ResourceType): Prisma.Sql {
  return Prisma.raw(resources[type].deletable === false ? "false" : "deleted_at IS NOT NULL");
}

/** @throws 409 if another Request works on the record, or a Request other than a provision worked on it and it is gone */
async function requireRetriable(db: Tx, { type, id }: Subject, provisions: boolean): Promise<void> {
  const [row] = await db.$queryRaw<{ deleted: boolean }[]>`
    SELECT ${deletedOf(type)} AS deleted FROM ${table(modelOf(type))} WHERE id = ${id}`;
  const [busy] = await unfinishedRequestsOn(db, type, id);
  if (busy)
    throw conflict(`${nameOf(type)} ${id} has an unfinished request: ${busy.type} ${busy.id}`, {
      blocking: [`requests/${busy.id}`],
    });
  if (row?.deleted && !provisions) throw conflict(`${nameOf(type)} ${id} no longer exists`);
}

async function restoreResource(db: Tx, { type, id }: Subject, provisions: boolean): Promise<void> {
  const own = table(modelOf(type));
  await db.$queryRaw`SELECT 1 FROM ${own} WHERE id = ${id} FOR NO KEY UPDATE`;
  // Now that the row is locked, the answers hold.
  await requireRetriable(db, { type, id }, provisions);
  const [deleted] = await db.$queryRaw<object[]>`SELECT 1 FROM ${own} WHERE id = ${id} AND ${deletedOf(type)}`;
  if (!deleted) return;
  await requireParents(db, type, id);
  for (const part of partsOf(type)) {
    await db.$executeRaw`UPDATE ${table(modelOf(part))} SET deleted_at = NULL
      WHERE ${referenceTo(type)} = ${id} AND deleted_at = (SELECT deleted_at FROM ${own} WHERE id = ${id})`;
  }
  const removal = Prisma.raw(resources[type].removedInParts ? ", removal_started_at = NULL" : "");
  await db.$executeRaw`UPDATE ${own} SET deleted_at = NULL${removal} WHERE id = ${id}`;
}

/** @throws 409 if what the record needs is gone */
async function requireParents(db: Tx, type: ResourceType, id: string): Promise<void> {
  for (const parent of parentsOf(type)) {
    const [found] = await db.$queryRaw<{ id: string | number; deleted: boolean }[]>`
      SELECT id, deleted_at IS NOT NULL AS deleted FROM ${table(modelOf(parent))}
      WHERE id = (SELECT ${referenceTo(parent)} FROM ${table(modelOf(type))} WHERE id = ${id}) FOR SHARE`;
    if (found?.deleted) throw conflict(`${nameOf(parent)} ${found.id} no longer exists`);
  }
}
