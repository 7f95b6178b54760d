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
} from "@gantry/requests";
import { conflict } from "../../http/errors.js";
import type { Open, OpenedRequest } from "../../http/request-opener.js";
import { referenceTo, table } from "../../http/rows.js";
import { openRequestsOn } from "../open-requests.js";
import { requireCapacity } from "../providers/provider.limits.js";
import { requireUsable } from "../providers/provider.rules.js";
import { removalBegun } from "../provisioned.js";
import { requireFreeBlock } from "../subnets/subnet.rules.js";

/**
 * Opens a failed Request again, on the same resource and with the same input. A resource that the failed provision
 * removed is restored.
 *
 * @throws 409 where the Request did not fail, or its resource does not allow it now
 */
export async function reopen(db: Tx, failed: Request, open: Open): Promise<OpenedRequest> {
  if (!failed.finishedAt || failed.successful) throw conflict(`the request ${failed.id} has not failed`);
  if (failed.parentId)
    throw conflict(`the request ${failed.id} was opened by another: retry ${failed.parentId}`, {
      blocking: [`requests/${failed.parentId}`],
    });
  const definition = requestTypeDefinition(failed.type);
  if (!definition || !failed.resourceType || !failed.resourceId)
    throw conflict("this version cannot retry such a request");
  if (definition.insteadOfRetry)
    throw conflict(`a request of type ${failed.type} is not retried; ${definition.insteadOfRetry}`);
  const resource = { type: failed.resourceType as ResourceType, id: failed.resourceId };
  await restoreResource(db, resource, definition.onFailure === "compensate");
  // The input was parsed for this very type when the failed Request was accepted.
  return open(failed.type as RequestType, { accountId: failed.accountId, resource, input: failed.input as never });
}

async function restoreResource(
  db: Tx,
  { type, id }: { type: ResourceType; id: string },
  isProvision: boolean,
): Promise<void> {
  const own = table(modelOf(type));
  const name = nameOf(type);
  const state = Prisma.raw(resources[type].deletable === false ? "false" : "deleted_at IS NOT NULL");
  const [row] = await db.$queryRaw<{ deleted: boolean }[]>`
    SELECT ${state} AS deleted FROM ${own} WHERE id = ${id} FOR NO KEY UPDATE`;
  const [busy] = await openRequestsOn(db, type, id);
  if (busy)
    throw conflict(`the ${name} ${id} has an open request: ${busy.type} ${busy.id}`, {
      blocking: [`requests/${busy.id}`],
    });
  if (!row?.deleted) return;
  if (!isProvision) throw conflict(`the ${name} ${id} is gone`);
  await requireParents(db, type, id);
  for (const part of partsOf(type)) {
    await db.$executeRaw`UPDATE ${table(modelOf(part))} SET deleted_at = NULL
      WHERE ${referenceTo(type)} = ${id} AND deleted_at = (SELECT deleted_at FROM ${own} WHERE id = ${id})`;
  }
  const removal = Prisma.raw(resources[type].removedInParts ? ", removal_started_at = NULL" : "");
  await db.$executeRaw`UPDATE ${own} SET deleted_at = NULL${removal} WHERE id = ${id}`;
}

function removes(request: Request, types: ResourceType[]): boolean {
  const { removesRecord, removesToo = [] } = requestTypeDefinition(request.type) ?? {};
  return [...removesToo, removesRecord].some((each) => each && types.includes(each));
}

// Parents and limits may have changed since the Request was first accepted.
async function requireParents(db: Tx, type: ResourceType, id: string): Promise<void> {
  // The neighbours of a subnet must stay as they are; other parents must only stay.
  const lock = Prisma.raw(type === "subnet" ? "NO KEY UPDATE" : "SHARE");
  for (const parent of parentsOf(type)) {
    const removing = Prisma.raw(resources[parent].removedInParts ? "removal_started_at IS NOT NULL" : "false");
    const [found] = await db.$queryRaw<{ id: string | number; deleted: boolean; removing: boolean }[]>`
      SELECT id, deleted_at IS NOT NULL AS deleted, ${removing} AS removing FROM ${table(modelOf(parent))}
      WHERE id = (SELECT ${referenceTo(parent)} FROM ${table(modelOf(type))} WHERE id = ${id}) FOR ${lock}`;
    if (found?.deleted) throw conflict(`the ${nameOf(parent)} ${found.id} is gone`);
    if (found?.removing) throw removalBegun(parent, found.id);
    const removal = found && (await openRequestsOn(db, parent, found.id)).find((each) => removes(each, [parent, type]));
    if (removal)
      throw conflict(`the ${nameOf(parent)} ${found.id} has an open request: ${removal.type} ${removal.id}`, {
        blocking: [`requests/${removal.id}`],
      });
    if (found && parent === "provider") {
      requireUsable(await db.provider.findUniqueOrThrow({ where: { id: Number(found.id) } }));
    }
  }
  if (type === "address") {
    const { providerId, location } = await db.address.findUniqueOrThrow({ where: { id: Number(id) } });
    await requireCapacity(db, "addresses", { providerId, region: location }, 1);
  }
  if (type === "subnet") {
    const { network, ...subnet } = await db.subnet.findUniqueOrThrow({ where: { id }, include: { network: true } });
    await requireFreeBlock(db, network, subnet);
  }
}
