import type { Server } from "@gantry/db";
import { associateAddress, describeAddress, disassociateAddress } from "../../aws/ec2/address.js";
import { permanent, poll } from "../../engine/stage-errors.js";
import type { AwsStageContext } from "../aws-workflow.js";

type Context = Pick<AwsStageContext, "db" | "cloud">;

/**
 * Associates an address with the server's instance, and records it.
 *
 * @throws NotYet until AWS shows the association; PermanentFailure if the address may not be attached
 */
export async function attachServerAddress({ db, cloud }: Context, server: Server, addressId: number): Promise<void> {
  const { id, provisionedId: instanceId } = server;
  const address = await db.address.findUniqueOrThrow({ where: { id: addressId } });
  const { provisionedId: allocationId, providerId, location: region } = address;
  if (address.accountId !== server.accountId) throw permanent("The address does not belong to this account");
  if (!allocationId || address.deletedAt) throw permanent("The address does not exist in AWS");
  if (address.serverId !== null && address.serverId !== id) {
    throw permanent(`The address is attached to server ${address.serverId}`);
  }
  if (!instanceId) throw permanent("The server does not exist in AWS");
  const scope = cloud({ providerId, region });
  await scope.call(associateAddress({ allocationId, instanceId }));
  const state = await scope.call(describeAddress(allocationId));
  if (state?.association?.instanceId !== instanceId) throw poll("AWS to attach the address", { everySeconds: 2 });
  await db.address.update({ where: { id: addressId }, data: { serverId: id } });
  await db.server.update({ where: { id }, data: { addressId } });
}

/** Disassociates the server's addresses, and the requested one. The account keeps them. */
export async function detachServerAddresses({ db, cloud }: Context, server: Server, requestedId: number | null) {
  const { id, provisionedId: instanceId } = server;
  const addresses = await db.address.findMany({
    where: {
      deletedAt: null,
      OR: [{ serverId: id }, ...(requestedId === null ? [] : [{ id: requestedId, serverId: null }])],
    },
  });
  for (const { id: addressId, provisionedId: allocationId, providerId, location: region } of addresses) {
    if (allocationId && instanceId)
      await cloud({ providerId, region }).call(disassociateAddress({ allocationId, instanceId }));
    await db.address.update({ where: { id: addressId }, data: { serverId: null } });
  }
  await db.server.update({ where: { id }, data: { addressId: null } });
}
