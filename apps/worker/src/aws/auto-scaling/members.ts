import {
  AttachInstancesCommand,
  DescribeAutoScalingGroupsCommand,
  DescribeAutoScalingInstancesCommand,
  DetachInstancesCommand,
  type Instance,
  SetInstanceProtectionCommand,
  UpdateAutoScalingGroupCommand,
} from "@aws-sdk/client-auto-scaling";
import { DescribeTagsCommand } from "@aws-sdk/client-ec2";
import { notReady } from "../aws-errors.js";
import type { Aws } from "../clients.js";

/** An instance's group, and its lifecycle state in that group. */
export interface Membership {
  group: string;
  state: string;
}

/** The membership of an instance, or undefined if it is in no group. */
export function describeMembership(instanceId: string): (aws: Aws) => Promise<Membership | undefined> {
  return async ({ autoScaling }) => {
    const query = new DescribeAutoScalingInstancesCommand({ InstanceIds: [instanceId] });
    const [member] = (await autoScaling.send(query)).AutoScalingInstances ?? [];
    return member && { group: member.AutoScalingGroupName ?? "", state: member.LifecycleState ?? "" };
  };
}

/** Attaches a running instance to a group and adds one to the desired capacity. AWS refuses a repeated call. */
export function attachInstance(group: string, instanceId: string): (aws: Aws) => Promise<void> {
  return async ({ noRetry }) => {
    await noRetry.autoScaling.send(
      new AttachInstancesCommand({ AutoScalingGroupName: group, InstanceIds: [instanceId] }),
    );
  };
}

/** Protects a member from termination when its group shrinks. */
export function protectInstance(group: string, instanceId: string): (aws: Aws) => Promise<void> {
  return async ({ autoScaling }) => {
    const member = { AutoScalingGroupName: group, InstanceIds: [instanceId] };
    await autoScaling.send(new SetInstanceProtectionCommand({ ...member, ProtectedFromScaleIn: true }));
  };
}

/**
 * Detaches the instances that were attached to a group, which keep running, and removes the protection of those that the
 * group launched. A member is detached while still protected: without protection the group may terminate it first.
 *
 * @throws `notReady("MemberPending")` while an attached instance is entering the group
 */
export function detachMembers(name: string): (aws: Aws) => Promise<void> {
  return async (aws) => {
    const { autoScaling, noRetry } = aws;
    const query = new DescribeAutoScalingGroupsCommand({ AutoScalingGroupNames: [name] });
    const [group] = (await autoScaling.send(query)).AutoScalingGroups ?? [];
    if (!group?.Instances?.length) return;
    const resource = group.Tags?.find(({ Key }) => Key === "gantry:resource")?.Value;
    const launched = await taggedWith(aws, idsOf(group.Instances), resource ?? "");
    const attached = group.Instances.filter(({ InstanceId = "" }) => !launched.has(InstanceId));
    const protectedMembers = group.Instances.filter(
      ({ InstanceId = "", ProtectedFromScaleIn }) => ProtectedFromScaleIn && launched.has(InstanceId),
    );
    if (attached.some(({ LifecycleState }) => /^Pending/.test(LifecycleState ?? ""))) {
      throw notReady("MemberPending");
    }
    const AutoScalingGroupName = name;
    const leaving = idsOf(attached.filter(({ LifecycleState }) => /^(InService|Standby)/.test(LifecycleState ?? "")));
    if (leaving.length > 0) {
      // A group at its minimum would launch replacements.
      if (group.MinSize)
        await autoScaling.send(new UpdateAutoScalingGroupCommand({ AutoScalingGroupName, MinSize: 0 }));
      const ShouldDecrementDesiredCapacity = (group.DesiredCapacity ?? 0) >= leaving.length;
      const detach = { AutoScalingGroupName, InstanceIds: leaving, ShouldDecrementDesiredCapacity };
      await noRetry.autoScaling.send(new DetachInstancesCommand(detach));
    }
    if (protectedMembers.length > 0) {
      const members = { AutoScalingGroupName, InstanceIds: idsOf(protectedMembers) };
      await autoScaling.send(new SetInstanceProtectionCommand({ ...members, ProtectedFromScaleIn: false }));
    }
  };
}

function idsOf(instances: Instance[]): string[] {
  return instances.flatMap(({ InstanceId }) => InstanceId ?? []);
}

/** Those of the instances that were made for a record. */
async function taggedWith({ ec2 }: Aws, ids: string[], resource: string): Promise<Set<string>> {
  const Filters = [
    { Name: "resource-id", Values: ids },
    { Name: "key", Values: ["gantry:resource"] },
    { Name: "value", Values: [resource] },
  ];
  const { Tags } = await ec2.send(new DescribeTagsCommand({ Filters }));
  return new Set(Tags?.flatMap(({ ResourceId }) => ResourceId ?? []));
}
