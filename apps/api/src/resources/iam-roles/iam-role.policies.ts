import { PARTITIONS } from "@gantry/aws-facts";

const NAMES = [
  "AmazonEC2ContainerRegistryReadOnly",
  "AmazonEC2ReadOnlyAccess",
  "AmazonEKSWorkerNodePolicy",
  "AmazonEKS_CNI_Policy",
  "AmazonElasticFileSystemReadOnlyAccess",
  "AmazonRDSReadOnlyAccess",
  "AmazonS3ReadOnlyAccess",
  "AmazonSSMManagedInstanceCore",
  "AmazonSSMReadOnlyAccess",
  "AmazonSQSReadOnlyAccess",
  "AmazonSNSReadOnlyAccess",
  "AWSXRayDaemonWriteAccess",
  "CloudWatchAgentServerPolicy",
  "CloudWatchLogsReadOnlyAccess",
];

/** The AWS policies that a role may have: none of them lets a server change permissions. */
export const ALLOWED_POLICY_ARNS: ReadonlySet<string> = new Set(
  PARTITIONS.flatMap((partition) => NAMES.map((name) => `arn:${partition}:iam::aws:policy/${name}`)),
);

/** The policies that let a server read every parameter of Systems Manager in the AWS account. */
export const READS_EVERY_PARAMETER = /\/AmazonSSM(ManagedInstanceCore|ReadOnlyAccess)$/;
