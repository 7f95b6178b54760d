/** Actions to simulate on one resource. */
export interface SimulatedActions {
  service: string;
  actions: readonly string[];
  /** The ARN of a resource of Gantry's, which need not exist. */
  resource: (place: { partition: string; region: string; account: string }) => string;
}

const anything = () => "*";
const ofRds =
  (type: string): SimulatedActions["resource"] =>
  ({ partition, region, account }) =>
    `arn:${partition}:rds:${region}:${account}:${type}:gantry-check`;
const ofIam =
  (type: string): SimulatedActions["resource"] =>
  ({ partition, account }) =>
    `arn:${partition}:iam::${account}:${type}/gantry-check`;

const simulated = (service: string, resource: SimulatedActions["resource"], names: string): SimulatedActions => ({
  service,
  resource,
  actions: names
    .trim()
    .split(/\s+/)
    .map((name) => `${service}:${name}`),
});

/** The changes that Gantry makes, by the resources that a policy may name for them. */
export const SIMULATED: readonly SimulatedActions[] = [
  simulated(
    "ec2",
    anything,
    `AssociateAddress AssociateIamInstanceProfile AssociateRouteTable AttachInternetGateway AttachVolume
    AuthorizeSecurityGroupIngress CreateLaunchTemplateVersion CreateNatGateway CreateRoute CreateRouteTable CreateSnapshot CreateSubnet CreateTags
    DeleteInternetGateway DeleteKeyPair DeleteLaunchTemplate DeleteNatGateway DeleteRouteTable DeleteSecurityGroup
    DeleteSnapshot DeleteSubnet DeleteTags DeleteVolume DeleteVpc DeregisterImage DescribeInstanceAttribute DetachInternetGateway DetachVolume
    DisassociateAddress DisassociateIamInstanceProfile DisassociateRouteTable ModifyInstanceAttribute ModifyVpcAttribute RebootInstances RegisterImage
    ReleaseAddress ReplaceIamInstanceProfileAssociation RevokeSecurityGroupIngress StartInstances StopInstances
    TerminateInstances`,
  ),
  simulated(
    "autoscaling",
    ({ partition, region, account }) =>
      `arn:${partition}:autoscaling:${region}:${account}:autoScalingGroup:*:autoScalingGroupName/gantry-check`,
    `AttachInstances CreateAutoScalingGroup CreateOrUpdateTags DeleteAutoScalingGroup DeleteTags DetachInstances
    SetInstanceProtection SuspendProcesses UpdateAutoScalingGroup`,
  ),
  simulated(
    "rds",
    ofRds("db"),
    `AddTagsToResource CreateDBInstance CreateDBInstanceReadReplica CreateDBSnapshot DeleteDBInstance ModifyDBInstance
    RemoveTagsFromResource`,
  ),
  simulated("rds", ofRds("cluster"), "CreateDBCluster CreateDBClusterSnapshot DeleteDBCluster ModifyDBCluster"),
  simulated("rds", ofRds("snapshot"), "DeleteDBSnapshot"),
  simulated("rds", ofRds("cluster-snapshot"), "DeleteDBClusterSnapshot"),
  simulated("rds", ofRds("subgrp"), "CreateDBSubnetGroup DeleteDBSubnetGroup"),
  simulated("rds", ofRds("pg"), "DeleteDBParameterGroup"),
  simulated(
    "iam",
    ofIam("role"),
    `AttachRolePolicy CreateRole DeleteRole DeleteRolePolicy DetachRolePolicy GetRole ListAttachedRolePolicies
    ListInstanceProfilesForRole ListRolePolicies PassRole PutRolePolicy TagRole UntagRole`,
  ),
  simulated(
    "iam",
    ofIam("policy"),
    "CreatePolicy DeletePolicy GetPolicy ListEntitiesForPolicy ListPolicyVersions TagPolicy UntagPolicy",
  ),
  simulated(
    "iam",
    ofIam("instance-profile"),
    `AddRoleToInstanceProfile CreateInstanceProfile DeleteInstanceProfile GetInstanceProfile
    RemoveRoleFromInstanceProfile TagInstanceProfile UntagInstanceProfile`,
  ),
  simulated(
    "iam",
    ({ partition, account }) =>
      `arn:${partition}:iam::${account}:role/aws-service-role/rds.amazonaws.com/AWSServiceRoleForRDS`,
    "CreateServiceLinkedRole",
  ),
];

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
