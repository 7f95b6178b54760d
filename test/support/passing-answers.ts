import type { ServiceName } from "./aws-interceptor.js";

/** An answer of AWS that passes by itself: the same call succeeds a little later. */
export interface PassingAnswer {
  code: string;
  message: string;
  status: number;
  /** The error's name in the SDK, if it is not the code. */
  name?: string;
}

type Row = [
  service: ServiceName,
  operations: string,
  code: string,
  message: string,
  more?: { status?: number; name?: string },
];

/*
 * Answers that AWS is known to send around the operations in use. Collected in November 2026 from the API references,
 * from botocore 1.44.5's models and from the sources and public issues of the Terraform AWS provider, Cluster API
 * Provider AWS, Ansible and moto's tests against AWS.
 */
const ROWS: Row[] = [
  // Objects that were just made and are not seen everywhere yet.
  [
    "ec2",
    "CreateSubnet CreateRouteTable CreateSecurityGroup AttachInternetGateway ModifyVpcAttribute",
    "InvalidVpcID.NotFound",
    "The vpc ID 'vpc-1' does not exist",
  ],
  ["ec2", "RunInstances AssociateRouteTable", "InvalidSubnetID.NotFound", "The subnet ID 'subnet-1' does not exist"],
  [
    "ec2",
    "AttachInternetGateway",
    "InvalidInternetGatewayID.NotFound",
    "The internetGateway ID 'igw-1' does not exist",
  ],
  ["ec2", "CreateRoute", "InvalidGatewayID.NotFound", "The gateway ID 'igw-1' does not exist"],
  [
    "ec2",
    "CreateRoute",
    "InvalidParameterValue",
    "route table rtb-1 and network gateway igw-1 belong to different networks",
  ],
  [
    "ec2",
    "CreateRoute AssociateRouteTable",
    "InvalidRouteTableID.NotFound",
    "The routeTable ID 'rtb-1' does not exist",
  ],
  [
    "ec2",
    "AuthorizeSecurityGroupIngress RunInstances ModifyInstanceAttribute",
    "InvalidGroup.NotFound",
    "The security group 'sg-1' does not exist",
  ],
  [
    "ec2",
    "RunInstances ModifyInstanceAttribute",
    "InvalidSecurityGroupID.NotFound",
    "The security group 'sg-1' does not exist",
  ],
  ["ec2", "RunInstances", "InvalidKeyPair.NotFound", "The key pair 'gantry' does not exist"],
  [
    "ec2",
    "AssociateAddress AttachVolume ModifyInstanceAttribute AssociateIamInstanceProfile CreateTags",
    "InvalidInstanceID.NotFound",
    "The instance ID 'i-1' does not exist",
  ],
  ["ec2", "AttachVolume CreateSnapshot", "InvalidVolume.NotFound", "The volume 'vol-1' does not exist."],
  ["ec2", "CreateVolume RegisterImage", "InvalidSnapshot.NotFound", "The snapshot 'snap-1' does not exist."],
  ["ec2", "AssociateAddress", "InvalidAllocationID.NotFound", "The allocation ID 'eipalloc-1' does not exist"],
  [
    "iam",
    "AttachRolePolicy AddRoleToInstanceProfile GetInstanceProfile PutRolePolicy",
    "NoSuchEntity",
    "The role with name gantry cannot be found.",
    { status: 404, name: "NoSuchEntityException" },
  ],
  [
    "ec2",
    "RunInstances AssociateIamInstanceProfile ReplaceIamInstanceProfileAssociation",
    "InvalidParameterValue",
    "Value (gantry) for parameter iamInstanceProfile.name is invalid. Invalid IAM Instance Profile name",
  ],
  [
    "ec2",
    "RunInstances AssociateIamInstanceProfile ReplaceIamInstanceProfileAssociation",
    "InvalidParameterValue",
    'IAM Instance Profile "arn:aws:iam::123456789012:instance-profile/gantry" has no associated IAM Roles',
  ],
  [
    "autoScaling",
    "CreateAutoScalingGroup",
    "ValidationError",
    "You must use a valid fully-formed launch template. Value (gantry) for parameter iamInstanceProfile.name is invalid. Invalid IAM Instance Profile name",
  ],
  [
    "autoScaling",
    "CreateAutoScalingGroup",
    "ValidationError",
    "You must use a valid fully-formed launch template. The specified launch template, with template ID lt-1, does not exist.",
  ],
  [
    "autoScaling",
    "AttachInstances UpdateAutoScalingGroup SuspendProcesses SetInstanceProtection",
    "ValidationError",
    "AutoScalingGroup name not found - AutoScalingGroup 'gantry' not found",
  ],
  [
    "rds",
    "CreateDBInstance CreateDBCluster",
    "DBSubnetGroupNotFoundFault",
    "DB subnet group 'gantry' does not exist.",
    { status: 404 },
  ],

  // An earlier change that has not ended.
  [
    "ec2",
    "DeleteVpc DeleteSubnet DeleteSecurityGroup DeleteRouteTable DetachInternetGateway DeleteInternetGateway",
    "DependencyViolation",
    "The resource has dependencies and cannot be deleted.",
  ],
  ["ec2", "DeleteSecurityGroup", "InvalidGroup.InUse", "There are active instances using security group 'gantry'"],
  ["ec2", "ReleaseAddress", "InvalidIPAddress.InUse", "Address 192.0.2.1 is in use."],
  ["ec2", "DeleteVolume", "VolumeInUse", "Volume vol-1 is currently attached to i-1"],
  ["ec2", "AttachVolume CreateSnapshot DetachVolume", "IncorrectState", "vol-1 is not 'available'."],
  [
    "ec2",
    "AssociateAddress",
    "InvalidInstanceID",
    "The pending instance 'i-1' is not in a valid state for this operation.",
  ],
  [
    "iam",
    "DeleteRole DeletePolicy DeleteInstanceProfile",
    "DeleteConflict",
    "Cannot delete entity, must detach all policies first.",
    { status: 409, name: "DeleteConflictException" },
  ],
  [
    "iam",
    "CreateRole CreatePolicy AttachRolePolicy DeleteRole DeletePolicy",
    "ConcurrentModification",
    "The request was rejected because multiple requests to change this object were submitted simultaneously.",
    { status: 409, name: "ConcurrentModificationException" },
  ],
  [
    "iam",
    "AddRoleToInstanceProfile RemoveRoleFromInstanceProfile DeleteRole DeleteInstanceProfile",
    "EntityTemporarilyUnmodifiable",
    "The entity is temporarily unmodifiable. Please try again later.",
    { status: 409, name: "EntityTemporarilyUnmodifiableException" },
  ],
  [
    "autoScaling",
    "CreateAutoScalingGroup UpdateAutoScalingGroup DeleteAutoScalingGroup AttachInstances DetachInstances",
    "ResourceContention",
    "You already have a pending update to an Amazon EC2 Auto Scaling resource.",
    { status: 500, name: "ResourceContentionFault" },
  ],
  [
    "autoScaling",
    "UpdateAutoScalingGroup DeleteAutoScalingGroup",
    "ScalingActivityInProgress",
    "You cannot change the group while there are scaling activities in progress.",
    { name: "ScalingActivityInProgressFault" },
  ],
  [
    "autoScaling",
    "DeleteAutoScalingGroup",
    "ResourceInUse",
    "You cannot delete an AutoScalingGroup while there are instances in the group.",
    { name: "ResourceInUseFault" },
  ],
  ["autoScaling", "CreateAutoScalingGroup", "ValidationError", "AutoScalingGroup 'gantry' is pending delete"],
  [
    "rds",
    "ModifyDBInstance DeleteDBInstance CreateDBSnapshot CreateDBInstanceReadReplica",
    "InvalidDBInstanceState",
    "Instance gantry is not in available state.",
    { name: "InvalidDBInstanceStateFault" },
  ],
  [
    "rds",
    "ModifyDBCluster DeleteDBCluster CreateDBClusterSnapshot CreateDBInstance",
    "InvalidDBClusterStateFault",
    "DB Cluster gantry is not in available state.",
  ],
  [
    "rds",
    "DeleteDBSubnetGroup",
    "InvalidDBSubnetGroupStateFault",
    "Cannot delete the subnet group because at least one database is still using it.",
  ],
  [
    "rds",
    "DeleteDBSnapshot",
    "InvalidDBSnapshotState",
    "The snapshot is not in available state.",
    { name: "InvalidDBSnapshotStateFault" },
  ],
  ["rds", "DeleteDBClusterSnapshot", "InvalidDBClusterSnapshotStateFault", "The snapshot is not in available state."],

  // Roles of AWS's services, which AWS makes at their first use in an account.
  [
    "rds",
    "CreateDBInstance CreateDBCluster",
    "InvalidParameterValue",
    "Unable to create the resource. Verify that you have permission to create service linked role. Otherwise wait and try again later.",
  ],
  [
    "autoScaling",
    "CreateAutoScalingGroup UpdateAutoScalingGroup",
    "ServiceLinkedRoleFailure",
    "The service-linked role is not yet ready for use.",
    { status: 500 },
  ],

  // Capacity, rates and checks of the account.
  ["ec2", "RunInstances StartInstances", "InsufficientInstanceCapacity", "There is no capacity.", { status: 500 }],
  [
    "ec2",
    "RunInstances",
    "PendingVerification",
    "Your request for accessing resources in this region is being validated.",
  ],
  [
    "ec2",
    "CreateVolume",
    "InsufficientVolumeCapacity",
    "There is not enough capacity to fulfill your EBS volume provision.",
  ],
  ["ec2", "AllocateAddress", "InsufficientAddressCapacity", "There are not enough free addresses."],
  [
    "rds",
    "CreateDBInstance CreateDBInstanceReadReplica",
    "InsufficientDBInstanceCapacity",
    "The DB instance class is not available in the zone.",
    { name: "InsufficientDBInstanceCapacityFault" },
  ],
  [
    "ec2",
    "CreateSnapshot",
    "SnapshotCreationPerVolumeRateExceeded",
    "The maximum per volume CreateSnapshot request rate has been exceeded.",
  ],
  [
    "ec2",
    "CreateSnapshot",
    "ConcurrentSnapshotLimitExceeded",
    "Maximum allowed in-progress snapshots for a volume exceeded.",
  ],
  ["ec2", "CreateSnapshot", "PendingSnapshotLimitExceeded", "Maximum allowed pending snapshots exceeded."],
];

const THROTTLING: Record<ServiceName, PassingAnswer> = {
  autoScaling: { code: "Throttling", message: "Rate exceeded", status: 400 },
  ec2: { code: "RequestLimitExceeded", message: "Request limit exceeded.", status: 503 },
  iam: { code: "Throttling", message: "Rate exceeded", status: 400 },
  rds: { code: "Throttling", message: "Rate exceeded", status: 400 },
  serviceQuotas: { code: "TooManyRequestsException", message: "Rate exceeded", status: 429 },
  ssm: { code: "ThrottlingException", message: "Rate exceeded", status: 400 },
  sts: { code: "Throttling", message: "Rate exceeded", status: 400 },
};

const INTERNAL: Record<ServiceName, PassingAnswer> = {
  autoScaling: { code: "InternalFailure", message: "An internal error has occurred", status: 500 },
  ec2: { code: "InternalError", message: "An internal error has occurred", status: 500 },
  iam: {
    ...{ code: "ServiceFailure", message: "The request processing has failed.", status: 500 },
    name: "ServiceFailureException",
  },
  rds: { code: "InternalFailure", message: "An internal error has occurred", status: 500 },
  serviceQuotas: { code: "ServiceException", message: "Something went wrong.", status: 500 },
  ssm: { code: "InternalServerError", message: "An internal error has occurred", status: 500 },
  sts: { code: "InternalFailure", message: "An internal error has occurred", status: 500 },
};

const ANSWERS = ROWS.map(([service, operations, code, message, { status = 400, name } = {}]) => {
  return { service, operations: operations.split(" "), answer: { code, message, status, ...(name && { name }) } };
});

/** All answers of a service. */
export function answersOfService(service: ServiceName): PassingAnswer[] {
  const own = ANSWERS.filter((row) => row.service === service).map(({ answer }) => answer);
  return [THROTTLING[service], INTERNAL[service], ...own];
}

/** The answer of a service that met an internal error. */
export function internalError(service: ServiceName): PassingAnswer {
  return INTERNAL[service];
}

/** The passing answers of an operation other than an internal error: a refusal by rate first. */
export function passingAnswers(service: ServiceName, operation: string): PassingAnswer[] {
  const own = ANSWERS.filter((row) => row.service === service && row.operations.includes(operation));
  return [THROTTLING[service], ...own.map(({ answer }) => answer)];
}

/** The error with which the SDK rejects a call that is answered so. */
export function errorOf({ code, message, status, name = code }: PassingAnswer): Error {
  return Object.assign(new Error(message), { name, $metadata: { httpStatusCode: status, attempts: 1 } });
}
