import {
  DescribeInstanceRefreshesCommand,
  RollbackInstanceRefreshCommand,
  StartInstanceRefreshCommand,
  UpdateAutoScalingGroupCommand,
} from "@aws-sdk/client-auto-scaling";
import { ignoring } from "../aws-errors.js";
import type { Aws } from "../clients.js";
import { isGoneGroup } from "./group.js";

/** A replacement of a group's instances by AWS. */
export interface Refresh {
  status: string;
  /** AWS's sentence about the status. */
  reason: string | undefined;
  /** How many of the instances are replaced; it falls during a rollback. */
  percentage: number;
  /** The version of the launch template that the instances get; undefined for one without a desired configuration. */
  version: string | undefined;
  isActive: boolean;
}

/**
 * The seconds from the start of an instance until AWS replaces the next ones: within them a first boot ends. AWS would go on as
 * soon as the instance runs.
 */
const WARMUP_SECONDS = 180;

const ACTIVE = /^(Pending|InProgress|Cancelling|RollbackInProgress|Baking)$/;

/** The latest refresh of a group, which may be active, or undefined if it has none or does not exist. */
export function latestRefresh(name: string): (aws: Aws) => Promise<Refresh | undefined> {
  return async ({ autoScaling }) => {
    const query = new DescribeInstanceRefreshesCommand({ AutoScalingGroupName: name, MaxRecords: 1 });
    const latest = await autoScaling.send(query).catch((error) => {
      if (isGoneGroup(error)) return undefined;
      throw error;
    });
    const [refresh] = latest?.InstanceRefreshes ?? [];
    if (!refresh) return undefined;
    const { Status = "", StatusReason: reason, PercentageComplete: percentage = 0, DesiredConfiguration } = refresh;
    const version = DesiredConfiguration?.LaunchTemplate?.Version;
    return { status: Status, reason, percentage, version, isActive: ACTIVE.test(Status) };
  };
}

/**
 * Starts to replace those of a group's instances that have another version of its launch template. It passes over protected
 * ones, such as the app master, and those in standby. If it fails, AWS returns to the group's own version, which must be a number.
 */
export function startRefresh(
  name: string,
  { templateId, version, minHealthyPercentage }: { templateId: string; version: string; minHealthyPercentage: number },
): (aws: Aws) => Promise<void> {
  return async ({ noRetry }) => {
    await noRetry.autoScaling.send(
      new StartInstanceRefreshCommand({
        AutoScalingGroupName: name,
        DesiredConfiguration: { LaunchTemplate: { LaunchTemplateId: templateId, Version: version } },
        Preferences: {
          MinHealthyPercentage: minHealthyPercentage,
          InstanceWarmup: WARMUP_SECONDS,
          SkipMatching: true,
          AutoRollback: true,
          ScaleInProtectedInstances: "Ignore",
          StandbyInstances: "Ignore",
        },
      }),
    );
  };
}

/** Makes AWS return from an active refresh, if it can. May be repeated. */
export function rollBackRefresh(name: string): (aws: Aws) => Promise<void> {
  return async ({ autoScaling }) => {
    const rollback = new RollbackInstanceRefreshCommand({ AutoScalingGroupName: name });
    await ignoring(autoScaling.send(rollback), /^(ActiveInstanceRefreshNotFound|IrreversibleInstanceRefresh)/);
  };
}

/** Sets the version of its launch template from which a group launches instances. May be repeated. */
export function setTemplateVersion(
  name: string,
  { templateId, version }: { templateId: string; version: string },
): (aws: Aws) => Promise<void> {
  const LaunchTemplate = { LaunchTemplateId: templateId, Version: version };
  return async ({ autoScaling }) => {
    await autoScaling.send(new UpdateAutoScalingGroupCommand({ AutoScalingGroupName: name, LaunchTemplate }));
  };
}
