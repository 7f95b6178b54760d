import { randomUUID } from "node:crypto";
import { type Db, insertInto, type Request } from "@gantry/db";
import { type InputOf, type OperationName, openRequest, type ResourceType } from "@gantry/requests";
import type { TestAccount } from "./account.js";
import { REGION } from "./account.js";
import { until } from "./stack.js";

/** Opens a Request as the API does, without the API. */
export async function open<Name extends OperationName>(
  db: Db,
  { accountId }: Pick<TestAccount, "accountId">,
  type: Name,
  resource: { type: ResourceType; id: string | number },
  input: InputOf<Name>,
): Promise<string> {
  const traceId = randomUUID().replaceAll("-", "");
  const { id } = await openRequest(db, { type, accountId, resource, input, traceId });
  return id;
}

/** Accepts a network and its Request. */
export async function openNetwork(
  db: Db,
  { accountId, provider }: Pick<TestAccount, "accountId" | "provider">,
  { cidr = "10.0.0.0/16", skipSubnets = false } = {},
): Promise<{ networkId: string; requestId: string }> {
  const networkId = randomUUID();
  const row = insertInto("networks", { id: networkId, accountId, providerId: provider.id, location: REGION, cidr });
  const traceId = randomUUID().replaceAll("-", "");
  const resource = { type: "network", id: networkId } as const;
  const request = { type: "provision_network", accountId, resource, input: { skipSubnets }, traceId } as const;
  const { id } = await openRequest(db, request, [row]);
  return { networkId, requestId: id };
}

/** The Request when it has ended. */
export function ended(db: Db, requestId: string, seconds?: number): Promise<Request> {
  return until(() => db.request.findFirst({ where: { id: requestId, finishedAt: { not: null } } }), seconds);
}
