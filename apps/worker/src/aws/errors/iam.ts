import { type ErrorRow, permanent, wait } from "./row.js";

/** Errors of roles, policies and instance profiles. */
export const iamErrors: ErrorRow[] = [
  [/^NoSuchEntity/, wait("AWS to show a role, policy or profile that was just made, unless it was removed", 2, 2)],
  [/^EntityTemporarilyUnmodifiable/, wait("AWS to finish an earlier change of it", 10, 10)],
  [/^(DeleteConflict|ConcurrentModification)/, wait("AWS to release what depends on it", 3, 10)],
  [
    /^InvalidParameterValue$/,
    wait(
      "AWS to make its own role for the service, for which the credentials need iam:CreateServiceLinkedRole",
      15,
      10,
    ),
    /service[- ]linked role/i,
  ],
  [/^MalformedPolicyDocument/, permanent("AWS does not accept the policy document")],
  [/^PolicyNotAttachable/, permanent("AWS lets nobody attach this policy to a role")],
  [/^UnmodifiableEntity/, permanent("The role belongs to an AWS service; only AWS changes it")],
];
