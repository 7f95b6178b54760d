import type { Address, Provider, Tx } from "@gantry/db";
import type { Caller } from "../../http/auth/caller.js";
import { conflict } from "../../http/errors/errors.js";
import { requireCapacity } from "../providers/provider.limits.js";
import { findUsableProvider } from "../providers/provider.rules.js";
import { requireFreeAddress } from "../servers/server.references.js";
import { findAttachableServer, findPendingAttachments, requirePublicSubnet } from "../servers/server.rules.js";
import { assertNoUnfinishedRequest } from "../unfinished-requests.js";

const EXCLUSIVE_TYPES = ["attach_address", "detach_address"] as const;

/**
 * The provider, which can have `added` more addresses in the region.
 *
 * @throws 404, 409 or 422 if the provider or the region cannot be used now, 409 if its limit is reached
 */
export async function requireAllowedAddress(
  caller: Caller,
  db: Tx,
  providerId: number,
  region: string,
  added = 1,
): Promise<Provider> {
  const provider = await findUsableProvider(caller, providerId, region, "address.location");
  await requireCapacity(db, "addresses", { providerId: provider.id, region }, added);
  return provider;
}

/**
 * An address and a server that can have it now, both locked until the transaction ends.
 *
 * @param isRetry allows that the server has this address already: an attachment that failed may have reached this point
 * @throws 404, 409 or 422 if the address cannot be attached to the server now
 */
export async function findAttachment(
  caller: Caller,
  db: Tx,
  addressId: string | number,
  serverId: number,
  isRetry = false,
): Promise<{ address: Address; serverId: number }> {
  const address = await caller.find("address", addressId);
  const server = await findAttachableServer(caller, db, serverId);
  await requirePublicSubnet(db, server);
  await requireFreeAddress(db, server, address.id, "server", isRetry ? server.id : undefined);
  await assertNoUnfinishedRequest(EXCLUSIVE_TYPES, db, "address", address.id);
  const about = { model: "server", id: server.id } as const;
  if (server.addressId !== null && !(isRetry && server.addressId === address.id))
    throw conflict(`server ${server.id} already has address ${server.addressId}`, {
      about,
      blocking: [`addresses/${server.addressId}`],
    });
  const [other] = await findPendingAttachments(db, "attach_address", server);
  if (other)
    throw conflict(`another address is being attached to server ${server.id}: attach_address ${other.id}`, {
      about,
      blocking: [`requests/${other.id}`],
    });
  return { address, serverId: server.id };
}

/**
 * An address that can be detached from its server, locked until the transaction ends.
 *
 * @throws 409 if it is not attached, or a Request works on it
 */
export async function findDetachableAddress(caller: Caller, db: Tx, addressId: string | number): Promise<Address> {
  const row = await caller.find("address", addressId, "update");
  if (row.serverId === null) throw conflict(`address ${row.id} is not attached to a server`);
  await assertNoUnfinishedRequest(EXCLUSIVE_TYPES, db, "address", row.id);
  return row;
}

/**
 * Call it with the address's row locked.
 *
 * @throws 409 if the address is attached, or a Request attaches or detaches it
 */
export async function requireDetached(db: Tx, { id, serverId }: Address): Promise<void> {
  if (serverId !== null)
    throw conflict(`address ${id} is attached to server ${serverId}`, { blocking: [`servers/${serverId}`] });
  await assertNoUnfinishedRequest(EXCLUSIVE_TYPES, db, "address", id);
}
