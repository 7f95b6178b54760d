import {
  AllocateAddressCommand,
  AssociateAddressCommand,
  DescribeAddressesCommand,
  DisassociateAddressCommand,
  ReleaseAddressCommand,
} from "@aws-sdk/client-ec2";
import type { CloudKind } from "../../engine/cloud-kind.js";
import { ignoring } from "../aws-errors.js";
import { batchDescribe } from "../batch-describe.js";
import type { Aws } from "../clients.js";
import { definedIds, requireId, tagSpecification, tokenFilter } from "./tags.js";

/** An elastic IP address. Its id is its allocation id. */
export const address: CloudKind<Aws, Record<never, never>> = {
  kind: "address",
  label: "address",
  strategy: "tag",
  async find({ ec2 }, intent) {
    const { Addresses } = await ec2.send(new DescribeAddressesCommand(tokenFilter(intent)));
    return definedIds(Addresses?.map(({ AllocationId }) => AllocationId));
  },
  async create({ noRetry }, intent) {
    const allocate = new AllocateAddressCommand({
      Domain: "vpc",
      TagSpecifications: tagSpecification("elastic-ip", intent),
    });
    return requireId((await noRetry.ec2.send(allocate)).AllocationId);
  },
  async obstacles({ ec2 }, id) {
    const Filters = [{ Name: "allocation-id", Values: [id] }];
    const { Addresses = [] } = await ec2.send(new DescribeAddressesCommand({ Filters }));
    return Addresses.flatMap(({ AssociationId, InstanceId, NetworkInterfaceId }) => {
      if (InstanceId) return { fact: `is associated with instance ${InstanceId}`, ids: [InstanceId] };
      if (!AssociationId || !NetworkInterfaceId) return [];
      return { fact: `is associated with network interface ${NetworkInterfaceId}`, ids: [NetworkInterfaceId] };
    });
  },
  async remove({ ec2 }, id) {
    await ignoring(ec2.send(new ReleaseAddressCommand({ AllocationId: id })), /^InvalidAllocationID\.NotFound$/);
  },
};

export interface AddressState {
  ipAddress: string;
  /** The association with an instance. */
  association?: { id: string; instanceId: string };
}

/** The state of an address, or undefined if AWS does not show it. Concurrent calls share one call to AWS. */
export const describeAddress = batchDescribe(async ({ ec2 }: Aws, ids: string[]) => {
  const filter = { Name: "allocation-id", Values: ids };
  const { Addresses } = await ec2.send(new DescribeAddressesCommand({ Filters: [filter] }));
  return new Map(
    (Addresses ?? []).map((found): [string, AddressState] => {
      const { AllocationId = "", PublicIp: ipAddress = "", AssociationId: id, InstanceId: instanceId = "" } = found;
      return [AllocationId, { ipAddress, ...(id && { association: { id, instanceId } }) }];
    }),
  );
});

/** Associates an address with an instance, in place of the instance's own public address. May be repeated. */
export function associateAddress({ allocationId, instanceId }: { allocationId: string; instanceId: string }) {
  return async ({ ec2 }: Aws): Promise<void> => {
    await ec2.send(
      new AssociateAddressCommand({ AllocationId: allocationId, InstanceId: instanceId, AllowReassociation: false }),
    );
  };
}

/** Disassociates an address from an instance, and from no other one that has it by now. May be repeated. */
export function disassociateAddress({ allocationId, instanceId }: { allocationId: string; instanceId: string }) {
  return async (aws: Aws): Promise<void> => {
    const { association } = (await describeAddress(allocationId)(aws)) ?? {};
    if (association?.instanceId !== instanceId) return;
    const disassociate = new DisassociateAddressCommand({ AssociationId: association.id });
    await ignoring(aws.ec2.send(disassociate), /^InvalidAssociationID\.NotFound$/);
  };
}
