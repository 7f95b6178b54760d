import { DescribeInstanceStatusCommand, type InstanceStatus } from "@aws-sdk/client-ec2";
import { batchDescribe } from "../batch-describe.js";
import type { Aws } from "../clients.js";

/** EC2's status checks of an instance and of the system below it. A new instance's are `initializing` for some minutes. */
export type StatusChecks = "initializing" | "ok" | "impaired";

/**
 * The status checks of an instance, or undefined if AWS does not show it. Concurrent calls share one call to AWS, which
 * AWS refuses as a whole for one unknown id: `describeInstance` must have shown the instance.
 */
export const describeStatusChecks = batchDescribe(async ({ ec2 }: Aws, ids: string[]) => {
  const describe = new DescribeInstanceStatusCommand({ InstanceIds: ids, IncludeAllInstances: true });
  const { InstanceStatuses = [] } = await ec2.send(describe);
  return new Map(InstanceStatuses.map((found): [string, StatusChecks] => [found.InstanceId ?? "", checksOf(found)]));
});

function checksOf({ InstanceStatus, SystemStatus }: InstanceStatus): StatusChecks {
  const states = [InstanceStatus?.Status, SystemStatus?.Status];
  if (states.includes("impaired")) return "impaired";
  return states.every((state) => state === "ok") ? "ok" : "initializing";
}
