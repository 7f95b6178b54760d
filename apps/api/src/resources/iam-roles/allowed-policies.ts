const names = [
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

/** The policies of AWS that roles may be given: none of them lets a server change who may do what. */
export const ALLOWED_POLICY_ARNS: ReadonlySet<string> = new Set(names.map((name) => `arn:aws:iam::aws:policy/${name}`));
