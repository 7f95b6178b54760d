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
    wait("AWS to show a group, or what it refers to, that was just made, unless somebody has removed it", 2, 5),
    /name not found|does not exist/,
  ],
  [
    /^ValidationError$/,
    permanent("The instance is in no state in which AWS allows this"),
    /not in correct state|not in InService/,
  ],
];
