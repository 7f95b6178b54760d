import { NO_CAPACITY, NOT_OFFERED, QUOTA_USED_UP } from "./outcomes.js";
import { type ErrorRow, permanent, wait } from "./row.js";

/** Errors of auto scaling groups. */
export const scalingErrors: ErrorRow[] = [
  [
    /^(ScalingActivityInProgress|ResourceContention|ResourceInUse)/,
    wait("AWS to end another change of the group", 5, 30),
  ],
  [/^MemberPending$/, wait("AWS to take an instance into the group", 5, 30)],
  [/^MembersLeft$/, wait("AWS to terminate the group's instances", 5, 30)],
  [/^(ServiceLinkedRoleFailure|InvalidServiceLinkedRole)/, wait("AWS to set up its role for auto scaling", 5, 10)],
  [/^ValidationError$/, wait("AWS to end the removal of a group of this name", 5, 30), /pending delete/],
  [
    /^ValidationError$/,
    wait("AWS to show a group, or what it refers to, that was just made, unless it was removed", 2, 5),
    /name not found|does not exist/,
  ],
  [
    /^ValidationError$/,
    permanent("The instance is in no state in which AWS allows this"),
    /not in correct state|not in InService/,
  ],
  // AWS reports the reason of a failed launch of a group only as a sentence, and launches again by itself.
  [/^LaunchFailed$/, NO_CAPACITY, /sufficient .*capacity|no Spot capacity/i],
  [/^LaunchFailed$/, QUOTA_USED_UP, /\blimit\b|quota|already running/i],
  [/^LaunchFailed$/, NOT_OFFERED, /not supported in|no longer supported|invalid instance type/i],
  [
    /^LaunchFailed$/,
    permanent(
      "AWS may not launch the group's instances: a policy, or the key of an encrypted disk, denies it; the owner of the AWS account can allow it",
    ),
    /not authorized|Client error on launch|Client\.InternalError|KMS/i,
  ],
  [/^LaunchFailed$/, wait("AWS to launch the group's instances, whose activities in AWS tell why they failed", 60, 30)],
];
