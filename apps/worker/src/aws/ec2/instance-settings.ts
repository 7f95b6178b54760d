import {
  AssociateIamInstanceProfileCommand,
  DescribeIamInstanceProfileAssociationsCommand,
  DisassociateIamInstanceProfileCommand,
  ModifyInstanceAttributeCommand,
  ReplaceIamInstanceProfileAssociationCommand,
} from "@aws-sdk/client-ec2";
import { codeOf } from "../aws-errors.js";
import type { Aws } from "../clients.js";

/** Sets the instance's security groups. May be repeated. */
export function setSecurityGroups(id: string, groupIds: string[]): (aws: Aws) => Promise<void> {
  return async ({ ec2 }) => {
    await ec2.send(new ModifyInstanceAttributeCommand({ InstanceId: id, Groups: groupIds }));
  };
}

/** Sets the flavor of a stopped instance; it applies from the next start. May be repeated. */
export function setFlavor(id: string, flavor: string): (aws: Aws) => Promise<void> {
  return async ({ ec2 }) => {
    await ec2.send(new ModifyInstanceAttributeCommand({ InstanceId: id, InstanceType: { Value: flavor } }));
  };
}

/** True for an error by which AWS refuses an instance a flavor for good. */
export function isRefusedFlavor(error: unknown): boolean {
  return /^(InvalidInstanceAttributeValue|InvalidInstanceType|Unsupported(Operation)?|InvalidParameter(Value|Combination))$/.test(
    codeOf(error),
  );
}

/** Sets the instance's profile by its name, or removes it. May be repeated. */
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

/** True if an instance profile's ARN ends in this name, or if both are undefined. */
export function hasProfileName(arn: string | undefined, name: string | undefined): boolean {
  return arn?.split("/").at(-1) === name;
}
