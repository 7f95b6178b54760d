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

/** An elastic IP address. Its id is that of its allocation. */
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
  async remove({ ec2 }, id) {
    await ignoring(ec2.send(new ReleaseAddressCommand({ AllocationId: id })), /^InvalidAllocationID\.NotFound$/);
  },
};

export interface AddressState {
  ipAddress: string;
  /** The instance that answers to it, and the id of that association. */
  association?: { id: string; instanceId: string };
}

/** How an address is, or undefined where AWS does not show it. Whoever asks at the same time shares the call. */
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

/** Has an instance answer to the address, in place of the public address it had. May be repeated. */
export function associateAddress({ allocationId, instanceId }: { allocationId: string; instanceId: string }) {
  return async ({ ec2 }: Aws): Promise<void> => {
    await ec2.send(
      new AssociateAddressCommand({ AllocationId: allocationId, InstanceId: instanceId, AllowReassociation: false }),
    );
  };
}

/** Takes the address from the instance that answers to it. May be repeated. */
export function disassociateAddress(allocationId: string) {
  return async (aws: Aws): Promise<void> => {
    const { association } = (await describeAddress(allocationId)(aws)) ?? {};
    if (!association) return;
    const disassociate = new DisassociateAddressCommand({ AssociationId: association.id });
    await ignoring(aws.ec2.send(disassociate), /^InvalidAssociationID\.NotFound$/);
  };
}
