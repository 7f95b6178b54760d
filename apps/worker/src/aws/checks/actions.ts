import { STATEMENTS } from "@gantry/aws-facts";

/** Actions to simulate on one resource. */
export interface SimulatedActions {
  service: string;
  actions: readonly string[];
  /** The ARN of a resource of Gantry's, which need not exist. */
  resource: (place: { partition: string; region: string; account: string }) => string;
}

type Resource = SimulatedActions["resource"];

const anything: Resource = () => "*";
const scalingGroup: Resource = ({ partition, region, account }) =>
  `arn:${partition}:autoscaling:${region}:${account}:autoScalingGroup:*:autoScalingGroupName/gantry-check`;
const serviceRole: Resource = ({ partition, account }) =>
  `arn:${partition}:iam::${account}:role/aws-service-role/rds.amazonaws.com/AWSServiceRoleForRDS`;
const ofRds =
  (type: string): Resource =>
  ({ partition, region, account }) =>
    `arn:${partition}:rds:${region}:${account}:${type}:gantry-check`;
const ofIam =
  (type: string): Resource =>
  ({ partition, account }) =>
    `arn:${partition}:iam::${account}:${type}/gantry-check`;

/** The resource on which an action is simulated: that of the first pattern. */
const RESOURCES: readonly (readonly [RegExp, Resource])[] = [
  [/^ec2:/, anything],
  [/^autoscaling:/, scalingGroup],
  [/^rds:DeleteDBSnapshot$/, ofRds("snapshot")],
  [/^rds:DeleteDBClusterSnapshot$/, ofRds("cluster-snapshot")],
  [/^rds:.*SubnetGroup$/, ofRds("subgrp")],
  [/^rds:.*ParameterGroup$/, ofRds("pg")],
  [/^rds:.*Cluster/, ofRds("cluster")],
  [/^rds:/, ofRds("db")],
  [/^iam:CreateServiceLinkedRole$/, serviceRole],
  [/^iam:.*InstanceProfile$/, ofIam("instance-profile")],
  [/^iam:.*Role(Policy|Policies)?$/, ofIam("role")],
  [/^iam:/, ofIam("policy")],
];

/** Reads that a removal or a drift scan needs, and that a role made for an earlier version may lack. */
const READS = [
  "ec2:DescribeInstanceAttribute",
  "iam:GetInstanceProfile",
  "iam:GetPolicy",
  "iam:GetRole",
  "iam:GetRolePolicy",
  "iam:ListAttachedRolePolicies",
  "iam:ListEntitiesForPolicy",
  "iam:ListInstanceProfilesForRole",
  "iam:ListPolicyVersions",
  "iam:ListRolePolicies",
];

/**
 * The changes that Gantry makes, by the resources on which they are simulated. Creates of EC2 objects are checked by dry
 * runs, and the use of customers' keys depends on the policies of those.
 */
export const SIMULATED: readonly SimulatedActions[] = simulated();

function simulated(): SimulatedActions[] {
  const changes = STATEMENTS.filter(({ effect }) => effect !== "Deny").flatMap(({ actions, resources }) =>
    actions.filter((action) =>
      action.startsWith("ec2:") ? resources.includes("*") : /^(autoscaling|rds|iam):/.test(action),
    ),
  );
  const actions = [...new Set([...changes, ...READS])];
  const resourceOf = (action: string) => RESOURCES.find(([pattern]) => pattern.test(action))?.[1];
  return RESOURCES.map(([, resource]) => {
    const own = actions.filter((action) => resourceOf(action) === resource);
    return { service: own[0]?.split(":")[0] ?? "", actions: own, resource };
  });
}

/** The context of Gantry's calls, for policies that require it. */
export function contextOf({ partition, account }: { partition: string; account: string }) {
  const values: Record<string, string> = {
    "aws:RequestTag/gantry:account": "check",
    "aws:ResourceTag/gantry:account": "check",
    "ec2:ResourceTag/gantry:account": "check",
    "ec2:CreateAction": "RunInstances",
    "iam:AWSServiceName": "rds.amazonaws.com",
    "iam:PassedToService": "ec2.amazonaws.com",
    "iam:PermissionsBoundary": `arn:${partition}:iam::${account}:policy/gantry-boundary`,
  };
  return Object.entries(values).map(([ContextKeyName, value]) => ({
    ContextKeyName,
    ContextKeyValues: [value],
    ContextKeyType: "string" as const,
  }));
}
