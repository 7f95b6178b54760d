import { DescribeInstancesCommand, type Instance } from "@aws-sdk/client-ec2";
import { batchDescribe } from "../batch-describe.js";
import type { Aws } from "../clients.js";

export interface InstanceState {
  /** `pending`, `running`, `stopping`, `stopped`, `shutting-down` or `terminated`. */
  state: string;
  /** AWS's code for the reason of the last state change; empty if there is none. */
  reason: string;
  /** AWS's sentence about the last state change, with its time; empty if there is none. */
  transition: string;
  flavor: string;
  privateHostname: string | null;
  publicHostname: string | null;
  securityGroupIds: string[];
  instanceProfileArn: string | undefined;
  rootDevice: string;
  blockDevices: { device: string; volumeId: string; deleteOnTermination: boolean }[];
}

/** The states of instances, by id. */
export async function describeInstances({ ec2 }: Aws, ids: string[]): Promise<Map<string, InstanceState>> {
  // A filter, not a list of ids: AWS refuses a list with one unknown id as a whole.
  const { Reservations } = await ec2.send(
    new DescribeInstancesCommand({ Filters: [{ Name: "instance-id", Values: ids }] }),
  );
  const instances = (Reservations ?? []).flatMap(({ Instances }) => Instances ?? []);
  return new Map(instances.map((found) => [found.InstanceId ?? "", stateOf(found)]));
}

/** The state of an instance, or undefined if AWS does not show it. Concurrent calls share one call to AWS. */
export const describeInstance = batchDescribe(describeInstances);

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
  // Some endpoints name the groups only on the instance's interface.
  const own = found.SecurityGroups ?? [];
  const groups = own.length > 0 ? own : (found.NetworkInterfaces?.[0]?.Groups ?? []);
  return {
    state: found.State?.Name ?? "pending",
    reason: found.StateReason?.Code ?? "",
    transition: found.StateTransitionReason ?? "",
    flavor: found.InstanceType ?? "",
    privateHostname: found.PrivateDnsName || null,
    publicHostname: found.PublicDnsName || null,
    securityGroupIds: groups.map(({ GroupId }) => GroupId ?? ""),
    instanceProfileArn: found.IamInstanceProfile?.Arn,
    rootDevice: found.RootDeviceName ?? "",
    blockDevices,
  };
}
