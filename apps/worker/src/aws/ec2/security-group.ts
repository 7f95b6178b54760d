import {
  CreateSecurityGroupCommand,
  DeleteSecurityGroupCommand,
  DescribeSecurityGroupsCommand,
} from "@aws-sdk/client-ec2";
import type { CloudKind } from "../../engine/cloud-kind.js";
import { ignoring } from "../aws-errors.js";
import type { Aws } from "../clients.js";
import { usersOfGroup } from "./security-group-users.js";
import { createdOrFound, definedIds, requireId, tagSpecification, tokenFilter, uniqueName } from "./tags.js";

export interface SecurityGroupParams {
  /** The prefix of its name. */
  name: string;
  description: string;
  vpcId: string;
}

/** A security group without ingress rules; it allows all egress. */
export const securityGroup: CloudKind<Aws, SecurityGroupParams> = {
  kind: "security_group",
  label: "security group",
  strategy: "name",
  async find({ ec2 }, intent) {
    const { SecurityGroups } = await ec2.send(new DescribeSecurityGroupsCommand(tokenFilter(intent)));
    return definedIds(SecurityGroups?.map(({ GroupId }) => GroupId));
  },
  create(aws, intent) {
    const { vpcId, description } = intent.params;
    const create = new CreateSecurityGroupCommand({
      GroupName: uniqueName(intent),
      Description: description,
      VpcId: vpcId,
      TagSpecifications: tagSpecification("security-group", intent),
    });
    return createdOrFound(
      aws.noRetry.ec2.send(create).then(({ GroupId }) => requireId(GroupId)),
      /^InvalidGroup\.Duplicate$/,
      () => securityGroup.find(aws, intent),
    );
  },
  obstacles: (aws, id) => usersOfGroup(id)(aws),
  async remove({ ec2 }, id) {
    await ignoring(ec2.send(new DeleteSecurityGroupCommand({ GroupId: id })), /^InvalidGroup(Id)?\.NotFound$/);
  },
};
