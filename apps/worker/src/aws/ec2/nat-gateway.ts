import {
  CreateNatGatewayCommand,
  DeleteNatGatewayCommand,
  DescribeNatGatewaysCommand,
  type NatGateway,
} from "@aws-sdk/client-ec2";
import type { CloudKind } from "../../engine/cloud-kind.js";
import { ignoring, notReady } from "../aws-errors.js";
import { batchDescribe } from "../batch-describe.js";
import type { Aws } from "../clients.js";
import { address } from "./address.js";
import { definedIds, requireId, tagSpecification, tokenFilter } from "./tags.js";

export interface NatGatewayParams {
  /** A public subnet. */
  subnetId: string;
  /** The elastic IP address of all traffic through the gateway. */
  allocationId: string;
}

/** The elastic IP address of a NAT gateway. */
export const natAddress: typeof address = {
  ...address,
  kind: "nat_address",
  label: "NAT gateway's address",
  // Its gateway holds it, and is removed first.
  obstacles: "none",
};

/** A public NAT gateway. Its subnet and its address are in use until it is deleted. */
export const natGateway: CloudKind<Aws, NatGatewayParams> = {
  kind: "nat_gateway",
  label: "NAT gateway",
  strategy: "token",
  async find({ ec2 }, intent) {
    const existing = { Name: "state", Values: ["pending", "available", "failed"] };
    const Filter = [...tokenFilter(intent).Filters, existing];
    const { NatGateways } = await ec2.send(new DescribeNatGatewaysCommand({ Filter }));
    return definedIds(NatGateways?.map(({ NatGatewayId }) => NatGatewayId));
  },
  async create({ ec2 }, intent) {
    const { subnetId, allocationId } = intent.params;
    const { NatGateway } = await ec2.send(
      new CreateNatGatewayCommand({
        SubnetId: subnetId,
        AllocationId: allocationId,
        ClientToken: intent.token,
        TagSpecifications: tagSpecification("natgateway", intent),
      }),
    );
    return requireId(NatGateway?.NatGatewayId);
  },
  obstacles: "none",
  async remove(aws, id) {
    const { state = "deleted" } = (await describeNatGateway(id)(aws)) ?? {};
    if (state === "deleted") return;
    if (state !== "deleting") {
      await ignoring(aws.ec2.send(new DeleteNatGatewayCommand({ NatGatewayId: id })), /^NatGatewayNotFound$/);
    }
    // A failed gateway holds nothing; AWS shows it for another hour.
    const then = (await describeNatGateway(id)(aws))?.state ?? "deleted";
    if (then !== "deleted" && then !== "failed") throw notReady("NatGatewayDeleting");
  },
  async describeStates(aws, ids) {
    const described = await describeNatGateways(aws, ids);
    return new Map([...described].map(([id, { state }]) => [id, state]));
  },
};

export interface NatGatewayState {
  /** `pending`, `available`, `failed`, `deleting` or `deleted`. */
  state: string;
  /** AWS's code for the reason of a failure, such as `InsufficientFreeAddressesInSubnet`; empty if there is none. */
  failure: string;
}

/** The state of a NAT gateway, or undefined if AWS does not show it. Concurrent calls share one call to AWS. */
export const describeNatGateway = batchDescribe(describeNatGateways);

async function describeNatGateways({ ec2 }: Aws, ids: string[]): Promise<Map<string, NatGatewayState>> {
  // A filter, not a list of ids: AWS refuses a list with one unknown id as a whole.
  const Filter = [{ Name: "nat-gateway-id", Values: ids }];
  const { NatGateways = [] } = await ec2.send(new DescribeNatGatewaysCommand({ Filter }));
  return new Map(NatGateways.map((found: NatGateway) => [found.NatGatewayId ?? "", stateOf(found)]));
}

function stateOf({ State = "pending", FailureCode = "" }: NatGateway): NatGatewayState {
  return { state: State, failure: FailureCode };
}
