import { Prisma, type Request, type Tx } from "@gantry/db";
import { type OperationName, operation, type ResourceType } from "@gantry/requests";
import type { Open, Opened } from "../../http/accept.js";
import { conflict } from "../../http/errors.js";
import { type Model, tableOf } from "../../http/rows.js";
import { requireUsable } from "../providers/provider.rules.js";
import { requireRoom } from "../subnets/subnet.rules.js";
import { openRequestsOn } from "./open-requests.js";

const MODELS: Record<ResourceType, Model> = {
  iam_role: "iamRole",
  network: "network",
  provider: "provider",
  provider_location: "providerLocation",
  subnet: "subnet",
};

/**
 * Opens a failed Request anew, on the same resource and with the same input. What a failed provision had taken back is
 * wanted again.
 *
 * @throws 409 where the Request did not fail, or its resource cannot be worked on now
 */
export async function reopen(db: Tx, failed: Request, open: Open): Promise<Opened> {
  if (!failed.finishedAt || failed.successful) throw conflict(`the request ${failed.id} has not failed`);
  if (failed.parentId) throw conflict(`the request ${failed.id} was opened by another: retry ${failed.parentId}`);
  const known = operation(failed.type);
  if (!known || !failed.resourceType || !failed.resourceId) throw conflict("this version cannot retry such a request");
  const resource = { type: failed.resourceType as ResourceType, id: failed.resourceId };
  await wantAgain(db, resource, known.onFailure === "compensate");
  // The input was parsed for this very type when the failed Request was accepted.
  return open(failed.type as OperationName, { accountId: failed.accountId, resource, input: failed.input as never });
}

async function wantAgain(
  db: Tx,
  { type, id }: { type: ResourceType; id: string },
  isProvision: boolean,
): Promise<void> {
  const table = tableOf(MODELS[type]);
  const isDeletable = type !== "provider_location";
  const state = isDeletable ? Prisma.raw("deleted_at IS NOT NULL") : Prisma.raw("false");
  const [row] = await db.$queryRaw<{ deleted: boolean }[]>`
    SELECT ${state} AS deleted FROM ${table} WHERE id = ${id} FOR NO KEY UPDATE`;
  const [busy] = await openRequestsOn(db, type, id);
  if (busy) throw conflict(`the ${type.replaceAll("_", " ")} ${id} has an open request: ${busy.type} ${busy.id}`);
  if (!row?.deleted) return;
  if (!isProvision) throw conflict(`the ${type.replaceAll("_", " ")} ${id} is gone`);
  await requirePlace(db, type, id);
  await db.$executeRaw`UPDATE ${table} SET deleted_at = NULL WHERE id = ${id}`;
}

// What the resource stands in may have changed since it was first asked for.
async function requirePlace(db: Tx, type: ResourceType, id: string): Promise<void> {
  if (type === "network") {
    requireUsable((await db.network.findUniqueOrThrow({ where: { id }, include: { provider: true } })).provider);
  } else if (type === "iam_role") {
    requireUsable((await db.iamRole.findUniqueOrThrow({ where: { id }, include: { provider: true } })).provider);
  } else if (type === "subnet") {
    const subnet = await db.subnet.findUniqueOrThrow({ where: { id } });
    await db.$queryRaw`SELECT id FROM networks WHERE id = ${subnet.networkId} FOR NO KEY UPDATE`;
    const network = await db.network.findUniqueOrThrow({ where: { id: subnet.networkId } });
    await requireRoom(db, network, subnet);
  }
}
