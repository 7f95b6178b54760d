import { Prisma, type Request, type Tx } from "@gantry/db";
import { type RequestType, type ResourceType, requestTypeDefinition } from "@gantry/requests";
import { conflict } from "../../http/errors.js";
import type { Open, OpenedRequest } from "../../http/request-opener.js";
import { type Model, tableOf } from "../../http/rows.js";
import { requireRoomFor } from "../providers/location-limit.js";
import { requireUsable } from "../providers/provider.rules.js";
import { requireRoom } from "../subnets/subnet.rules.js";
import { openRequestsOn } from "./open-requests.js";

const MODELS: Record<ResourceType, Model> = {
  address: "address",
  auto_scaling_group: "autoScalingGroup",
  database_server: "databaseServer",
  database_server_snapshot: "databaseServerSnapshot",
  database_service: "databaseService",
  drift: "drift",
  environment: "environment",
  firewall: "firewall",
  firewall_rule: "firewallRule",
  iam_role: "iamRole",
  network: "network",
  provider: "provider",
  provider_location: "providerLocation",
  server: "server",
  snapshot: "snapshot",
  subnet: "subnet",
  volume: "volume",
};

// What else a failed provision takes back together with the resource, at the same moment.
const PARTS: Partial<Record<ResourceType, [table: string, columnName: string][]>> = {
  database_service: [
    ["database_servers", "database_service_id"],
    ["firewalls", "database_service_id"],
  ],
  server: [["volumes", "server_id"]],
};

// What a resource stands in: it must still be there when the resource is wanted again.
const PARENTS: Partial<Record<ResourceType, [columnName: string, type: ResourceType][]>> = {
  address: [["provider_id", "provider"]],
  auto_scaling_group: [["environment_id", "environment"]],
  database_server: [["database_service_id", "database_service"]],
  database_server_snapshot: [["database_server_id", "database_server"]],
  database_service: [
    ["provider_id", "provider"],
    ["network_id", "network"],
  ],
  firewall_rule: [["firewall_id", "firewall"]],
  iam_role: [["provider_id", "provider"]],
  network: [["provider_id", "provider"]],
  server: [
    ["environment_id", "environment"],
    ["subnet_id", "subnet"],
    ["iam_role_id", "iam_role"],
  ],
  volume: [["provider_id", "provider"]],
};

/**
 * Opens a failed Request anew, on the same resource and with the same input. What a failed provision had taken back is
 * wanted again.
 *
 * @throws 409 where the Request did not fail, or its resource cannot be worked on now
 */
export async function reopen(db: Tx, failed: Request, open: Open): Promise<OpenedRequest> {
  if (!failed.finishedAt || failed.successful) throw conflict(`the request ${failed.id} has not failed`);
  if (failed.parentId) throw conflict(`the request ${failed.id} was opened by another: retry ${failed.parentId}`);
  const known = requestTypeDefinition(failed.type);
  if (!known || !failed.resourceType || !failed.resourceId) throw conflict("this version cannot retry such a request");
  if (known.insteadOfRetry) throw conflict(`a request of type ${failed.type} is not retried; ${known.insteadOfRetry}`);
  const resource = { type: failed.resourceType as ResourceType, id: failed.resourceId };
  await restoreResource(db, resource, known.onFailure === "compensate");
  // The input was parsed for this very type when the failed Request was accepted.
  return open(failed.type as RequestType, { accountId: failed.accountId, resource, input: failed.input as never });
}

async function restoreResource(
  db: Tx,
  { type, id }: { type: ResourceType; id: string },
  isProvision: boolean,
): Promise<void> {
  const table = tableOf(MODELS[type]);
  const isDeletable = type !== "provider_location" && type !== "drift";
  const state = isDeletable ? Prisma.raw("deleted_at IS NOT NULL") : Prisma.raw("false");
  const [row] = await db.$queryRaw<{ deleted: boolean }[]>`
    SELECT ${state} AS deleted FROM ${table} WHERE id = ${id} FOR NO KEY UPDATE`;
  const [busy] = await openRequestsOn(db, type, id);
  if (busy) throw conflict(`the ${type.replaceAll("_", " ")} ${id} has an open request: ${busy.type} ${busy.id}`);
  if (!row?.deleted) return;
  if (!isProvision) throw conflict(`the ${type.replaceAll("_", " ")} ${id} is gone`);
  await requireParents(db, type, id);
  for (const [part, columnName] of PARTS[type] ?? []) {
    await db.$executeRaw`UPDATE ${Prisma.raw(part)} SET deleted_at = NULL
      WHERE ${Prisma.raw(columnName)} = ${id} AND deleted_at = (SELECT deleted_at FROM ${table} WHERE id = ${id})`;
  }
  await db.$executeRaw`UPDATE ${table} SET deleted_at = NULL WHERE id = ${id}`;
}

// What the resource stands in may have changed since it was first asked for.
async function requireParents(db: Tx, type: ResourceType, id: string): Promise<void> {
  for (const [columnName, parent] of PARENTS[type] ?? []) {
    const [found] = await db.$queryRaw<{ id: string | number; deleted: boolean }[]>`
      SELECT id, deleted_at IS NOT NULL AS deleted FROM ${tableOf(MODELS[parent])}
      WHERE id = (SELECT ${Prisma.raw(columnName)} FROM ${tableOf(MODELS[type])} WHERE id = ${id}) FOR SHARE`;
    if (found?.deleted) throw conflict(`the ${parent.replaceAll("_", " ")} ${found.id} is gone`);
    if (found && parent === "provider") {
      requireUsable(await db.provider.findUniqueOrThrow({ where: { id: Number(found.id) } }));
    }
  }
  if (type === "address") {
    const { providerId, location } = await db.address.findUniqueOrThrow({ where: { id: Number(id) } });
    await requireRoomFor(db, "addresses", { providerId, region: location }, 1);
  }
  if (type !== "subnet") return;
  const subnet = await db.subnet.findUniqueOrThrow({ where: { id } });
  await db.$queryRaw`SELECT id FROM networks WHERE id = ${subnet.networkId} FOR NO KEY UPDATE`;
  await requireRoom(db, await db.network.findUniqueOrThrow({ where: { id: subnet.networkId } }), subnet);
}
