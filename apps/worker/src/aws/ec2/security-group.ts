import {
  CreateSecurityGroupCommand,
  DeleteSecurityGroupCommand,
  DescribeSecurityGroupsCommand,
} from "@aws-sdk/client-ec2";
import type { CloudKind } from "../../engine/cloud-kind.js";
import type { Aws } from "../clients.js";
import { unless } from "../failures.js";
import { createdOrFound, idIn, idsIn, madeFor, tagged, uniqueName } from "./tags.js";

export interface SecurityGroupParams {
  /** The beginning of its name. */
  name: string;
  description: string;
  vpcId: string;
}

/** A security group that lets nothing in until rules are made for it, and everything out. */
export const securityGroup: CloudKind<Aws, SecurityGroupParams> = {
  kind: "security_group",
  label: "security group",
  strategy: "name",
  async find({ ec2 }, intent) {
    const { SecurityGroups } = await ec2.send(new DescribeSecurityGroupsCommand(madeFor(intent)));
    return idsIn(SecurityGroups?.map(({ GroupId }) => GroupId));
  },
  create(aws, intent) {
    const { vpcId, description } = intent.params;
    const create = new CreateSecurityGroupCommand({
      GroupName: uniqueName(intent),
      Description: description,
      VpcId: vpcId,
      TagSpecifications: tagged("security-group", intent),
    });
    return createdOrFound(
      aws.once.ec2.send(create).then(({ GroupId }) => idIn(GroupId)),
      /^InvalidGroup\.Duplicate$/,
      () => securityGroup.find(aws, intent),
    );
  },
  async remove({ ec2 }, id) {
    await unless(ec2.send(new DeleteSecurityGroupCommand({ GroupId: id })), /^InvalidGroup(Id)?\.NotFound$/);
  },
};
