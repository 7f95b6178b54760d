import {
  type AutoScalingGroup,
  CreateAutoScalingGroupCommand,
  DeleteAutoScalingGroupCommand,
  DescribeAutoScalingGroupsCommand,
  SuspendProcessesCommand,
  UpdateAutoScalingGroupCommand,
} from "@aws-sdk/client-auto-scaling";
import type { CloudKind } from "../../engine/cloud-kind.js";
import { codeOf, ignoring, notReady } from "../aws-errors.js";
import { batchDescribe } from "../batch-describe.js";
import type { Aws } from "../clients.js";
import { detachMembers } from "./members.js";

export interface GroupParams {
  launchTemplateId: string;
  subnetIds: string[];
  maximumSize: number;
}

export interface Sizes {
  minimumSize: number;
  maximumSize: number;
  desiredCapacity: number;
}

/** A group as AWS shows it. */
export type AwsGroup = AutoScalingGroup;

/**
 * An auto scaling group, empty at first. Its id is its name. The removal terminates the instances that the group launched;
 * instances that were attached keep running.
 */
export const autoScalingGroup: CloudKind<Aws, GroupParams> = {
  kind: "auto_scaling_group",
  label: "auto scaling group",
  strategy: "name",
  async find(aws, { token }) {
    const group = await findGroup(aws, nameFor(token));
    return group?.Tags?.some(({ Key, Value }) => Key === "gantry:token" && Value === token) ? [nameFor(token)] : [];
  },
  async create({ noRetry }, { token, tags, params }) {
    const name = nameFor(token);
    const create = new CreateAutoScalingGroupCommand({
      AutoScalingGroupName: name,
      LaunchTemplate: { LaunchTemplateId: params.launchTemplateId, Version: "$Latest" },
      VPCZoneIdentifier: params.subnetIds.join(","),
      MinSize: 0,
      DesiredCapacity: 0,
      MaxSize: params.maximumSize,
      Tags: Object.entries(tags).map(([Key, Value]) => ({ Key, Value, PropagateAtLaunch: false })),
    });
    // The name contains the token: an existing group of this name comes from an earlier attempt.
    await ignoring(noRetry.autoScaling.send(create), /^AlreadyExists/);
    return name;
  },
  async obstacles(aws, name) {
    const { DeletionProtection, Instances = [] } = (await findGroup(aws, name)) ?? {};
    // `remove` detaches what was attached, and takes the protection from scale-in.
    const kept = Instances.filter(({ LifecycleState }) => LifecycleState === "Standby");
    return [
      ...(DeletionProtection === "prevent-all-deletion" ? [{ fact: "has deletion protection", ids: [] }] : []),
      ...kept.map(({ InstanceId: id = "" }) => ({ fact: `has instance ${id} in standby`, ids: [id] })),
    ];
  },
  async remove(aws, name) {
    const group = await findGroup(aws, name);
    if (!group) return;
    await detachMembers(name)(aws);
    await resize(name, { minimumSize: 0, maximumSize: 0, desiredCapacity: 0 })(aws);
    const remaining = (await findGroup(aws, name))?.Instances ?? [];
    if (remaining.length > 0) throw notReady("MembersLeft");
    // Without retries: a second call fails, because the group no longer exists.
    const removal = new DeleteAutoScalingGroupCommand({ AutoScalingGroupName: name });
    await ignoring(aws.noRetry.autoScaling.send(removal), /^ValidationError$/, GONE);
  },
};

/** The text by which AWS says that a group does not exist, under a code that has other meanings too. */
const GONE = /name not found/;

/** True for the error of a call about a group that does not exist. */
export function isGoneGroup(error: unknown): boolean {
  return codeOf(error) === "ValidationError" && GONE.test(String(error));
}

function nameFor(token: string): string {
  return `gantry-${token}`;
}

/** The group of this name, or undefined if there is none or AWS is deleting it. */
export async function findGroup(aws: Aws, name: string): Promise<AwsGroup | undefined> {
  return (await findGroups(aws, [name])).get(name);
}

/** The group of this name, as `findGroup`. Concurrent calls share one call to AWS. */
export const describeGroup = batchDescribe(findGroups);

async function findGroups({ autoScaling }: Aws, names: string[]): Promise<Map<string, AwsGroup>> {
  const query = new DescribeAutoScalingGroupsCommand({ AutoScalingGroupNames: names, MaxRecords: 100 });
  const { AutoScalingGroups = [] } = await autoScaling.send(query);
  const living = AutoScalingGroups.filter(({ Status }) => Status === undefined);
  return new Map(living.map((group) => [group.AutoScalingGroupName ?? "", group]));
}

/** The sizes of a group. */
export function sizesOf({ MinSize = 0, MaxSize = 0, DesiredCapacity = 0 }: AwsGroup): Sizes {
  return { minimumSize: MinSize, maximumSize: MaxSize, desiredCapacity: DesiredCapacity };
}

/** Sets a group's sizes, unless it has them. */
export function resize(name: string, sizes: Sizes): (aws: Aws) => Promise<void> {
  const MinSize = sizes.minimumSize;
  const MaxSize = sizes.maximumSize;
  const DesiredCapacity = sizes.desiredCapacity;
  return async (aws) => {
    const group = await findGroup(aws, name);
    const isSized =
      group?.MinSize === MinSize && group.MaxSize === MaxSize && group.DesiredCapacity === DesiredCapacity;
    if (isSized) return;
    const update = { AutoScalingGroupName: name, MinSize, MaxSize, DesiredCapacity };
    await aws.autoScaling.send(new UpdateAutoScalingGroupCommand(update));
  };
}

/**
 * Keeps the group from terminating members that it finds unhealthy or in the wrong zone. Protection from scale-in covers
 * neither (Amazon EC2 Auto Scaling user guide, "Use instance scale-in protection").
 */
export function suspendReplacement(name: string): (aws: Aws) => Promise<void> {
  return async ({ autoScaling }) => {
    const ScalingProcesses = ["ReplaceUnhealthy", "AZRebalance"];
    await autoScaling.send(new SuspendProcessesCommand({ AutoScalingGroupName: name, ScalingProcesses }));
  };
}

/** The number of instances that the group aims at, as AWS shows it. */
export function desiredCapacity(name: string): (aws: Aws) => Promise<number | undefined> {
  return async (aws) => (await findGroup(aws, name))?.DesiredCapacity;
}
