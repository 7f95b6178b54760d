import {
  CreateVpcCommand,
  DeleteVpcCommand,
  DescribeVpcsCommand,
  ModifyVpcAttributeCommand,
  type Tenancy,
} from "@aws-sdk/client-ec2";
import type { CloudKind } from "../../engine/cloud-kind.js";
import type { Aws } from "../clients.js";
import { unlessGone } from "../failures.js";
import { idIn, idsIn, madeFor, tagged } from "./tags.js";

export interface VpcParams {
  cidr: string;
  tenancy: string;
}

/** A VPC whose instances are resolved by name. */
export const vpc: CloudKind<Aws, VpcParams> = {
  kind: "vpc",
  label: "VPC",
  strategy: "tag",
  async find({ ec2 }, intent) {
    const { Vpcs } = await ec2.send(new DescribeVpcsCommand(madeFor(intent)));
    return idsIn(Vpcs?.map(({ VpcId }) => VpcId));
  },
  async create({ once }, intent) {
    const { Vpc } = await once.ec2.send(
      new CreateVpcCommand({
        CidrBlock: intent.params.cidr,
        InstanceTenancy: intent.params.tenancy as Tenancy,
        TagSpecifications: tagged("vpc", intent),
      }),
    );
    return idIn(Vpc?.VpcId);
  },
  async sync({ ec2 }, id) {
    // One attribute a call: the API takes no more.
    await Promise.all([
      ec2.send(new ModifyVpcAttributeCommand({ VpcId: id, EnableDnsSupport: { Value: true } })),
      ec2.send(new ModifyVpcAttributeCommand({ VpcId: id, EnableDnsHostnames: { Value: true } })),
    ]);
  },
  async remove({ ec2 }, id) {
    await unlessGone(ec2.send(new DeleteVpcCommand({ VpcId: id })), /^InvalidVpcID\.NotFound$/);
  },
};
