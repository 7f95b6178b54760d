import { type Activity, DescribeScalingActivitiesCommand } from "@aws-sdk/client-auto-scaling";
import { launchFailure } from "../aws-errors.js";
import type { Aws } from "../clients.js";
import { findGroup } from "./group.js";

/** The number of activities to read: more than the launches of one change of a group. */
const MaxRecords = 50;

/**
 * The number of members that a group still has to launch or to terminate until it has as many in service as it aims at.
 *
 * @param since the time from which on a failed launch counts
 * @throws the error of the latest launch, if that failed
 */
export function membersLeft(name: string, since: Date): (aws: Aws) => Promise<number> {
  return async (aws) => {
    const { Instances = [], DesiredCapacity = 0 } = (await findGroup(aws, name)) ?? {};
    const inService = Instances.filter(({ LifecycleState }) => LifecycleState === "InService").length;
    // A group keeps its protected members when it shrinks.
    const protectedCount = Instances.filter(({ ProtectedFromScaleIn }) => ProtectedFromScaleIn).length;
    const missing = Math.max(0, DesiredCapacity - inService);
    if (missing > 0) await throwLaunchFailure(aws, name, since);
    return missing + Math.max(0, Instances.length - Math.max(DesiredCapacity, protectedCount));
  };
}

async function throwLaunchFailure({ autoScaling }: Aws, AutoScalingGroupName: string, since: Date): Promise<void> {
  const query = new DescribeScalingActivitiesCommand({ AutoScalingGroupName, MaxRecords });
  const { Activities = [] } = await autoScaling.send(query);
  const latest = latestLaunch(Activities, since);
  if (latest?.StatusCode === "Failed") throw launchFailure(latest.StatusMessage ?? "");
}

/** AWS tries a failed launch again: only the latest shows the state of the group. */
function latestLaunch(activities: Activity[], since: Date): Activity | undefined {
  const startedAt = ({ StartTime }: Activity) => StartTime?.getTime() ?? 0;
  const launches = activities.filter(
    (activity) => activity.Description?.startsWith("Launching") && startedAt(activity) >= since.getTime(),
  );
  return launches.sort((one, other) => startedAt(other) - startedAt(one))[0];
}
