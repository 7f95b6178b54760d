import { CreateSubnetCommand, DeleteSubnetCommand, DescribeSubnetsCommand } from "@aws-sdk/client-ec2";
import type { CloudKind } from "../../engine/cloud-kind.js";
import { ignoring } from "../aws-errors.js";
import type { Aws } from "../clients.js";
import { definedIds, requireId, tagSpecification, tokenFilter } from "./tags.js";
import { contentsOfSubnet } from "./vpc-contents.js";

export interface SubnetParams {
  vpcId: string;
  cidr: string;
  /** The name of its availability zone, such as us-east-1a. */
  zone: string;
}

/** A subnet. Its VPC's main route table applies until another is associated. */
export const subnet: CloudKind<Aws, SubnetParams> = {
  kind: "subnet",
  label: "subnet",
  strategy: "tag",
  async find({ ec2 }, intent) {
    const { Subnets } = await ec2.send(new DescribeSubnetsCommand(tokenFilter(intent)));
    return definedIds(Subnets?.map(({ SubnetId }) => SubnetId));
  },
  async create({ noRetry }, intent) {
    const { vpcId, cidr, zone } = intent.params;
    const { Subnet } = await noRetry.ec2.send(
      new CreateSubnetCommand({
        VpcId: vpcId,
        CidrBlock: cidr,
        AvailabilityZone: zone,
        TagSpecifications: tagSpecification("subnet", intent),
      }),
    );
    return requireId(Subnet?.SubnetId);
  },
  obstacles: (aws, id) => contentsOfSubnet(id)(aws),
  async remove({ ec2 }, id) {
    await ignoring(ec2.send(new DeleteSubnetCommand({ SubnetId: id })), /^InvalidSubnetID\.NotFound$/);
  },
};
