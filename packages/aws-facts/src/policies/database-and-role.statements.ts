import { NEW, OWN, type StatementRule } from "./statement-rule.js";

/** The name of the managed policy that is the boundary of the roles that customers make. */
export const BOUNDARY_NAME = "gantry-boundary";

const BOUNDARY_ARN = `arn:aws:iam::*:policy/${BOUNDARY_NAME}`;
const rds = (...types: string[]) => types.map((type) => `arn:aws:rds:*:*:${type}`);

/** The statements for databases, and for the roles that servers and databases have. */
export const DATABASE_AND_ROLE_STATEMENTS: readonly StatementRule[] = [
  {
    sid: "Databases",
    about: "creates, changes and removes databases, snapshots and groups whose names begin with `gantry-`",
    actions: [
      "rds:AddTagsToResource",
      "rds:CreateDBCluster",
      "rds:CreateDBClusterSnapshot",
      "rds:CreateDBInstance",
      "rds:CreateDBInstanceReadReplica",
      "rds:CreateDBSnapshot",
      "rds:CreateDBSubnetGroup",
      "rds:DeleteDBCluster",
      "rds:DeleteDBClusterSnapshot",
      "rds:DeleteDBInstance",
      "rds:DeleteDBParameterGroup",
      "rds:DeleteDBSnapshot",
      "rds:DeleteDBSubnetGroup",
      "rds:ModifyDBCluster",
      "rds:ModifyDBInstance",
      "rds:PromoteReadReplica",
      "rds:RebootDBInstance",
      "rds:RemoveTagsFromResource",
      "rds:RestoreDBInstanceFromDBSnapshot",
      "rds:RestoreDBInstanceToPointInTime",
      "rds:StartDBInstance",
      "rds:StopDBInstance",
    ],
    resources: rds(
      "cluster:gantry-*",
      "cluster-pg:default*",
      "cluster-snapshot:gantry-*",
      "db:gantry-*",
      "og:default*",
      "pg:default*",
      "pg:gantry-*",
      "snapshot:gantry-*",
      "subgrp:gantry-*",
    ),
  },
  {
    sid: "BoundedRoles",
    about: "creates, configures and removes only roles that carry the boundary",
    actions: [
      "iam:AttachRolePolicy",
      "iam:CreateRole",
      "iam:DeleteRole",
      "iam:DeleteRolePolicy",
      "iam:DetachRolePolicy",
      "iam:PutRolePolicy",
      "iam:UpdateAssumeRolePolicy",
    ],
    resources: ["arn:aws:iam::*:role/*"],
    condition: { ArnLike: { "iam:PermissionsBoundary": BOUNDARY_ARN } },
  },
  {
    sid: "CreateTaggedForRoles",
    about: "creates policies and instance profiles, and tags them and roles, with the tag `gantry:account`",
    actions: [
      "iam:CreateInstanceProfile",
      "iam:CreatePolicy",
      "iam:TagInstanceProfile",
      "iam:TagPolicy",
      "iam:TagRole",
    ],
    resources: ["arn:aws:iam::*:instance-profile/*", "arn:aws:iam::*:policy/*", "arn:aws:iam::*:role/*"],
    condition: NEW,
  },
  {
    sid: "ChangeOwnForRoles",
    about: "changes and removes policies and instance profiles that carry the tag `gantry:account`",
    actions: [
      "iam:AddRoleToInstanceProfile",
      "iam:DeleteInstanceProfile",
      "iam:DeletePolicy",
      "iam:RemoveRoleFromInstanceProfile",
    ],
    resources: ["arn:aws:iam::*:instance-profile/*", "arn:aws:iam::*:policy/*"],
    condition: OWN,
  },
  {
    sid: "RetagOwn",
    about: "changes the tags of roles, policies and instance profiles that carry the tag `gantry:account`",
    actions: [
      "iam:TagInstanceProfile",
      "iam:TagPolicy",
      "iam:TagRole",
      "iam:UntagInstanceProfile",
      "iam:UntagPolicy",
      "iam:UntagRole",
    ],
    resources: ["arn:aws:iam::*:instance-profile/*", "arn:aws:iam::*:policy/*", "arn:aws:iam::*:role/*"],
    condition: OWN,
  },
  {
    sid: "KeepBoundary",
    about: "keeps the boundary itself from being removed, or created again with other content",
    effect: "Deny",
    actions: ["iam:CreatePolicy", "iam:DeletePolicy", "iam:TagPolicy", "iam:UntagPolicy"],
    resources: [BOUNDARY_ARN],
  },
  {
    sid: "PassRolesToServers",
    about: "gives roles to servers, and to no other service",
    actions: ["iam:PassRole"],
    resources: ["arn:aws:iam::*:role/*"],
    condition: { StringEquals: { "iam:PassedToService": "ec2.amazonaws.com" } },
  },
  {
    sid: "ServiceRoles",
    about: "lets AWS create its own roles for scaling groups and databases, at the first of an AWS account",
    actions: ["iam:CreateServiceLinkedRole"],
    resources: ["arn:aws:iam::*:role/aws-service-role/*"],
    condition: { StringEquals: { "iam:AWSServiceName": ["autoscaling.amazonaws.com", "rds.amazonaws.com"] } },
  },
];
