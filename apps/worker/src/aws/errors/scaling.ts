import { NO_CAPACITY, NOT_OFFERED, QUOTA_USED_UP } from "./outcomes.js";
import { absent, type ErrorRow, permanent, wait } from "./row.js";

/** Errors of auto scaling groups. */
export const scalingErrors: ErrorRow[] = [
  [
    /^(ScalingActivityInProgress|ResourceContention|ResourceInUse)/,
    wait("AWS to finish another change to the group", 5, 30),
  ],
  [/^InstanceRefreshInProgress/, wait("a replacement of the group's instances that AWS already makes", 60, 1440)],
  [
    /^ValidationError$/,
    wait("a replacement of the group's instances that AWS already makes", 60, 1440),
    /active instance refresh/,
  ],
  [
    /^(ActiveInstanceRefreshNotFound|IrreversibleInstanceRefresh)/,
    permanent("AWS makes no replacement of the group's instances that it could take back"),
  ],
  [/^MemberPending$/, wait("AWS to add an instance to the group", 5, 30)],
  [/^MembersLeft$/, wait("AWS to terminate the group's instances", 5, 30)],
  [/^(ServiceLinkedRoleFailure|InvalidServiceLinkedRole)/, wait("AWS to set up its role for auto scaling", 5, 10)],
  [/^ValidationError$/, wait("AWS to finish removing a group with this name", 5, 30), /pending delete/],
  [
    /^ValidationError$/,
    absent("AWS to show a group, or an object it refers to, that was just created", 2, 5),
    /name not found|does not exist/,
  ],
  [
    /^ValidationError$/,
    permanent("AWS does not allow this operation in the instance's current state; try again later"),
    /not in correct state|not in InService/,
  ],
  // AWS reports the reason of a failed launch of a group only as a sentence, and launches again by itself.
  [/^LaunchFailed$/, NO_CAPACITY, /sufficient .*capacity|no Spot capacity/i],
  [/^LaunchFailed$/, QUOTA_USED_UP, /\blimit\b|quota|already running/i],
  [/^LaunchFailed$/, NOT_OFFERED, /not supported in|no longer supported|invalid instance type/i],
  [
    /^LaunchFailed$/,
    permanent(
      "AWS is not permitted to launch the group's instances: a policy, or the key of an encrypted disk, denies it; the owner of the AWS account can allow it",
    ),
    /not authorized|Client error on launch|Client\.InternalError|KMS/i,
  ],
  [
    /^LaunchFailed$/,
    wait("AWS to launch the group's instances; the group's activity history in AWS shows why launches fail", 60, 30),
  ],
];
