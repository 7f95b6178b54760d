/** A statement of a policy in Gantry's table. */
export interface StatementRule {
  sid: string;
  /** The reason for the statement, in the operators' guide. */
  about: string;
  actions: readonly string[];
  resources: readonly string[];
  condition?: Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>;
  effect?: "Allow" | "Deny";
}

/** The name of the managed policy that is the boundary of the roles that customers make. */
export const BOUNDARY_NAME = "gantry-boundary";

const BOUNDARY_ARN = `arn:aws:iam::*:policy/${BOUNDARY_NAME}`;
const NEW = { Null: { "aws:RequestTag/gantry:account": "false" } };
const OWN = { Null: { "aws:ResourceTag/gantry:account": "false" } };
const ec2 = (...types: string[]) =>
  types.map((type) => `arn:aws:ec2:*:${/^(snapshot|image)$/.test(type) ? "" : "*"}:${type}/*`);
const rds = (...types: string[]) => types.map((type) => `arn:aws:rds:*:*:${type}`);

/** The calls that create EC2 objects with tags. */
const CREATING = [
  "ec2:AllocateAddress",
  "ec2:AuthorizeSecurityGroupIngress",
  "ec2:CreateInternetGateway",
  "ec2:CreateLaunchTemplate",
  "ec2:CreateNatGateway",
  "ec2:CreateRouteTable",
  "ec2:CreateSecurityGroup",
  "ec2:CreateSnapshot",
  "ec2:CreateSubnet",
  "ec2:CreateVolume",
  "ec2:CreateVpc",
  "ec2:ImportKeyPair",
  "ec2:RegisterImage",
  "ec2:RunInstances",
];

/** The managed policies of a provider's role, each with the services whose actions it holds. */
export const POLICIES = {
  "gantry-servers": ["ec2", "autoscaling", "ssm", "servicequotas"],
  "gantry-databases-and-roles": ["rds", "iam"],
  "gantry-customer-keys": ["kms"],
} as const;

/**
 * Which statements an operation belongs to. An operation that only reads (Describe, Get, List, Simulate) needs no line:
 * it is allowed on every resource. Any other operation needs one line in each statement that its resource types
 * require; they are listed in AWS's Service Authorization Reference, which a test compares with this table.
 */
export const STATEMENTS: readonly StatementRule[] = [
  {
    sid: "ReadPublicImages",
    about: "reads the id of the image for servers, which AWS publishes as a parameter",
    actions: ["ssm:GetParameter"],
    resources: ["arn:aws:ssm:*::parameter/aws/service/*"],
  },
  {
    sid: "CreateTagged",
    about: "creates EC2 objects, each with the tag `gantry:account`",
    actions: CREATING,
    resources: ec2(
      "elastic-ip",
      "image",
      "instance",
      "internet-gateway",
      "key-pair",
      "launch-template",
      "natgateway",
      "route-table",
      "security-group",
      "security-group-rule",
      "snapshot",
      "subnet",
      "volume",
      "vpc",
    ),
    condition: NEW,
  },
  {
    sid: "TagNew",
    about: "sets the tags of an object in the call that creates it, and of no other object",
    actions: ["ec2:CreateTags"],
    resources: ["arn:aws:ec2:*:*:*/*"],
    condition: { StringEquals: { "ec2:CreateAction": CREATING.map((action) => action.replace("ec2:", "")) } },
  },
  {
    sid: "LaunchWith",
    about: "launches servers from images, in subnets and with interfaces that carry no tag of Gantry's",
    actions: ["ec2:RunInstances"],
    resources: ec2("image", "key-pair", "launch-template", "network-interface", "security-group", "snapshot", "subnet"),
  },
  {
    sid: "UseDefaultVpc",
    about: "creates security groups in the region's default VPC, which carries no tag of Gantry's",
    actions: ["ec2:CreateSecurityGroup"],
    resources: ec2("vpc"),
  },
  {
    sid: "ChangeOwn",
    about: "changes and removes EC2 objects that carry the tag `gantry:account`, and creates others in or from them",
    actions: [
      "ec2:AssociateAddress",
      "ec2:AssociateIamInstanceProfile",
      "ec2:AssociateRouteTable",
      "ec2:AttachInternetGateway",
      "ec2:AttachVolume",
      "ec2:AuthorizeSecurityGroupIngress",
      "ec2:CreateLaunchTemplateVersion",
      "ec2:CreateNatGateway",
      "ec2:CreateRoute",
      "ec2:CreateRouteTable",
      "ec2:CreateSnapshot",
      "ec2:CreateSubnet",
      "ec2:CreateTags",
      "ec2:CreateVolume",
      "ec2:DeleteInternetGateway",
      "ec2:DeleteKeyPair",
      "ec2:DeleteLaunchTemplate",
      "ec2:DeleteNatGateway",
      "ec2:DeleteRouteTable",
      "ec2:DeleteSecurityGroup",
      "ec2:DeleteSnapshot",
      "ec2:DeleteSubnet",
      "ec2:DeleteTags",
      "ec2:DeleteVolume",
      "ec2:DeleteVpc",
      "ec2:DeregisterImage",
      "ec2:DetachInternetGateway",
      "ec2:DetachVolume",
      "ec2:DisassociateAddress",
      "ec2:DisassociateIamInstanceProfile",
      "ec2:DisassociateRouteTable",
      "ec2:ModifyInstanceAttribute",
      "ec2:ModifyVpcAttribute",
      "ec2:RebootInstances",
      "ec2:RegisterImage",
      "ec2:ReleaseAddress",
      "ec2:ReplaceIamInstanceProfileAssociation",
      "ec2:RevokeSecurityGroupIngress",
      "ec2:StartInstances",
      "ec2:StopInstances",
      "ec2:TerminateInstances",
    ],
    resources: ["*"],
    condition: OWN,
  },
  {
    sid: "MoveAddresses",
    about: "gives addresses to the interfaces of servers, which carry no tag of Gantry's",
    actions: ["ec2:AssociateAddress", "ec2:DisassociateAddress"],
    resources: ec2("network-interface"),
  },
  {
    sid: "ScalingGroups",
    about: "creates, changes and removes scaling groups whose names begin with `gantry-`",
    actions: [
      "autoscaling:AttachInstances",
      "autoscaling:CreateAutoScalingGroup",
      "autoscaling:CreateOrUpdateTags",
      "autoscaling:DeleteAutoScalingGroup",
      "autoscaling:DeleteTags",
      "autoscaling:DetachInstances",
      "autoscaling:SetInstanceProtection",
      "autoscaling:SuspendProcesses",
      "autoscaling:UpdateAutoScalingGroup",
    ],
    resources: ["arn:aws:autoscaling:*:*:autoScalingGroup:*:autoScalingGroupName/gantry-*"],
  },
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
      "rds:RemoveTagsFromResource",
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
    about: "creates, fills and removes only roles that carry the boundary",
    actions: [
      "iam:AttachRolePolicy",
      "iam:CreateRole",
      "iam:DeleteRole",
      "iam:DeleteRolePolicy",
      "iam:DetachRolePolicy",
      "iam:PutRolePolicy",
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
  {
    sid: "KeysThroughServices",
    about: "lets EC2 and RDS use customer keys for the disks and databases that Gantry creates",
    actions: ["kms:Decrypt", "kms:DescribeKey", "kms:GenerateDataKeyWithoutPlaintext", "kms:ReEncrypt*"],
    resources: ["arn:aws:kms:*:*:key/*"],
    condition: { StringLike: { "kms:ViaService": ["ec2.*.amazonaws.com", "rds.*.amazonaws.com"] } },
  },
  {
    sid: "GrantKeysToServices",
    about: "lets EC2 and RDS keep the use of those keys while a disk is attached or a database runs",
    actions: ["kms:CreateGrant"],
    resources: ["arn:aws:kms:*:*:key/*"],
    condition: {
      Bool: { "kms:GrantIsForAWSResource": "true" },
      StringLike: { "kms:ViaService": ["ec2.*.amazonaws.com", "rds.*.amazonaws.com"] },
    },
  },
];

/**
 * The actions that AWS requires although no call of Gantry has their name, each with its source; all read in November
 * 2026.
 */
export const NOT_CALLED: Readonly<Record<string, string>> = {
  "iam:CreateServiceLinkedRole":
    "the first scaling group or database of an AWS account (user guides, “Service-linked roles”)",
  "iam:PassRole":
    "AddRoleToInstanceProfile, and an instance or a launch template with a profile (IAM user guide, “Grant permissions to pass a role”)",
  "kms:CreateGrant":
    "encrypted volumes and databases (EBS user guide, “Permissions for IAM users”; RDS user guide, “Key policy”)",
  "kms:Decrypt": "as kms:CreateGrant",
  "kms:DescribeKey": "as kms:CreateGrant",
  "kms:GenerateDataKeyWithoutPlaintext": "as kms:CreateGrant",
  "kms:ReEncrypt*": "as kms:CreateGrant",
};
