import { DescribeInstancesCommand, type Instance } from "@aws-sdk/client-ec2";
import { batchDescribe } from "../batch-describe.js";
import type { Aws } from "../clients.js";

export interface InstanceState {
  /** AWS's word: pending, running, stopping, stopped, shutting-down or terminated. */
  state: string;
  /** Why AWS ended it, as a code; empty where it did not. */
  reason: string;
  privateHostname: string | null;
  publicHostname: string | null;
  securityGroupIds: string[];
  instanceProfileArn: string | undefined;
  rootDevice: string;
  blockDevices: { device: string; volumeId: string; deleteOnTermination: boolean }[];
}

/** How an instance is, or undefined where AWS does not show it. Whoever asks at the same time shares the call. */
export const describeInstance = batchDescribe(async ({ ec2 }: Aws, ids: string[]) => {
  // By a filter: an id that is unknown would have AWS refuse the others too.
  const { Reservations } = await ec2.send(
    new DescribeInstancesCommand({ Filters: [{ Name: "instance-id", Values: ids }] }),
  );
  const instances = (Reservations ?? []).flatMap(({ Instances }) => Instances ?? []);
  return new Map(instances.map((found): [string, InstanceState] => [found.InstanceId ?? "", stateOf(found)]));
});

/** True once the instance is terminated or shutting down. */
export function isTerminated({ state }: InstanceState): boolean {
  return state === "shutting-down" || state === "terminated";
}

function stateOf(found: Instance): InstanceState {
  const blockDevices = (found.BlockDeviceMappings ?? []).map(({ DeviceName = "", Ebs }) => ({
    device: DeviceName,
    volumeId: Ebs?.VolumeId ?? "",
    deleteOnTermination: Ebs?.DeleteOnTermination ?? false,
  }));
  // Not every endpoint names the groups of an instance's interface as its own too.
  const own = found.SecurityGroups ?? [];
  const groups = own.length > 0 ? own : (found.NetworkInterfaces?.[0]?.Groups ?? []);
  return {
    state: found.State?.Name ?? "pending",
    reason: found.StateReason?.Code ?? "",
    privateHostname: found.PrivateDnsName || null,
    publicHostname: found.PublicDnsName || null,
    securityGroupIds: groups.map(({ GroupId }) => GroupId ?? ""),
    instanceProfileArn: found.IamInstanceProfile?.Arn,
    rootDevice: found.RootDeviceName ?? "",
    blockDevices,
  };
}
