import {
  AssociateIamInstanceProfileCommand,
  DescribeIamInstanceProfileAssociationsCommand,
  DisassociateIamInstanceProfileCommand,
  ModifyInstanceAttributeCommand,
  ReplaceIamInstanceProfileAssociationCommand,
} from "@aws-sdk/client-ec2";
import type { Aws } from "../clients.js";

/** Puts the instance into these security groups and no others. May be repeated. */
export function setSecurityGroups(id: string, groupIds: string[]): (aws: Aws) => Promise<void> {
  return async ({ ec2 }) => {
    await ec2.send(new ModifyInstanceAttributeCommand({ InstanceId: id, Groups: groupIds }));
  };
}

/** Has the instance carry the instance profile of this name, or none. May be repeated. */
export function setInstanceProfile(id: string, name: string | undefined): (aws: Aws) => Promise<void> {
  return async ({ ec2 }) => {
    const query = { Filters: [{ Name: "instance-id", Values: [id] }] };
    const response = await ec2.send(new DescribeIamInstanceProfileAssociationsCommand(query));
    const associated = response.IamInstanceProfileAssociations?.find(({ State }) => State === "associated");
    if (hasProfileName(associated?.IamInstanceProfile?.Arn, name)) return;
    const AssociationId = associated?.AssociationId;
    if (name === undefined) await ec2.send(new DisassociateIamInstanceProfileCommand({ AssociationId }));
    else if (AssociationId) {
      const IamInstanceProfile = { Name: name };
      await ec2.send(new ReplaceIamInstanceProfileAssociationCommand({ AssociationId, IamInstanceProfile }));
    } else {
      await ec2.send(new AssociateIamInstanceProfileCommand({ InstanceId: id, IamInstanceProfile: { Name: name } }));
    }
  };
}

/** True where this ARN of an instance profile is that of the name; without a name, where there is none. */
export function hasProfileName(arn: string | undefined, name: string | undefined): boolean {
  return arn?.split("/").at(-1) === name;
}
