import { absent, type ErrorRow, permanent, wait } from "./row.js";

/** Errors of roles, policies and instance profiles. */
export const iamErrors: ErrorRow[] = [
  [/^NoSuchEntity/, absent("AWS to show a role, policy or profile that was just created", 2, 2)],
  [/^EntityTemporarilyUnmodifiable/, wait("AWS to finish an earlier change to the object", 10, 10)],
  [/^(DeleteConflict|ConcurrentModification)/, wait("AWS to release the objects that depend on this one", 3, 10)],
  [
    /^InvalidParameterValue$/,
    wait("AWS to create its service-linked role, for which the credentials need iam:CreateServiceLinkedRole", 15, 10),
    /service[- ]linked role/i,
  ],
  [/^MalformedPolicyDocument/, permanent("AWS does not accept the policy document")],
  [/^PolicyNotAttachable/, permanent("AWS does not allow this policy to be attached to a role")],
  [/^UnmodifiableEntity/, permanent("The role belongs to an AWS service; only AWS can change it")],
];
