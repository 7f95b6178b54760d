import {
  CreateVpcCommand,
  DeleteVpcCommand,
  DescribeVpcsCommand,
  ModifyVpcAttributeCommand,
  type Tenancy,
} from "@aws-sdk/client-ec2";
import type { CloudKind } from "../../engine/cloud-kind.js";
import { ignoring } from "../aws-errors.js";
import type { Aws } from "../clients.js";
import { definedIds, requireId, tagSpecification, tokenFilter } from "./tags.js";
import { contentsOfVpc } from "./vpc-contents.js";

export interface VpcParams {
  cidr: string;
  tenancy: string;
}

/** A VPC. */
export const vpc: CloudKind<Aws, VpcParams> = {
  kind: "vpc",
  label: "VPC",
  strategy: "tag",
  async find({ ec2 }, intent) {
    const { Vpcs } = await ec2.send(new DescribeVpcsCommand(tokenFilter(intent)));
    return definedIds(Vpcs?.map(({ VpcId }) => VpcId));
  },
  async create({ noRetry }, intent) {
    const { Vpc } = await noRetry.ec2.send(
      new CreateVpcCommand({
        CidrBlock: intent.params.cidr,
        InstanceTenancy: intent.params.tenancy as Tenancy,
        TagSpecifications: tagSpecification("vpc", intent),
      }),
    );
    return requireId(Vpc?.VpcId);
  },
  obstacles: (aws, id) => contentsOfVpc(id)(aws),
  async remove({ ec2 }, id) {
    await ignoring(ec2.send(new DeleteVpcCommand({ VpcId: id })), /^InvalidVpcID\.NotFound$/);
  },
};

/** Enables DNS resolution in the VPC, and DNS hostnames for its instances. May be repeated. */
export function enableDns(vpcId: string): (aws: Aws) => Promise<void> {
  return async ({ ec2 }) => {
    // The API accepts one attribute per call.
    await Promise.all([
      ec2.send(new ModifyVpcAttributeCommand({ VpcId: vpcId, EnableDnsSupport: { Value: true } })),
      ec2.send(new ModifyVpcAttributeCommand({ VpcId: vpcId, EnableDnsHostnames: { Value: true } })),
    ]);
  };
}
