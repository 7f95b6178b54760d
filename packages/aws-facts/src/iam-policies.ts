interface Statement {
  Effect: "Allow";
  Action: string | string[];
  Resource: string | string[];
}

/** A policy document as AWS reads it. */
export interface PolicyDocument {
  Version: string;
  Statement: Statement[];
}

/** The policies that may be attached to a role by name. */
export const IAM_POLICIES: Readonly<Record<"EFSBackupPolicy" | "KubeyPolicy", PolicyDocument>> = {
  /** Lets AWS Backup's jobs on a server copy file systems. */
  EFSBackupPolicy: {
    Version: "2012-10-17",
    Statement: [
      {
        Effect: "Allow",
        Action: [
          "elasticfilesystem:Backup",
          "elasticfilesystem:ClientMount",
          "elasticfilesystem:ClientWrite",
          "elasticfilesystem:DescribeFileSystems",
          "elasticfilesystem:DescribeMountTargets",
          "elasticfilesystem:DescribeTags",
          "ec2:DescribeNetworkInterfaces",
          "ec2:DescribeSubnets",
        ],
        Resource: "*",
      },
    ],
  },
  /** Lets a Kubernetes node describe instances, networks, load balancers and volumes, and pull images. */
  KubeyPolicy: {
    Version: "2012-10-17",
    Statement: [
      {
        Effect: "Allow",
        Action: [
          "ec2:DescribeInstances",
          "ec2:DescribeRegions",
          "ec2:DescribeRouteTables",
          "ec2:DescribeSecurityGroups",
          "ec2:DescribeSubnets",
          "ec2:DescribeVolumes",
          "ec2:DescribeVpcs",
          "elasticloadbalancing:DescribeLoadBalancers",
          "ecr:BatchCheckLayerAvailability",
          "ecr:BatchGetImage",
          "ecr:GetAuthorizationToken",
          "ecr:GetDownloadUrlForLayer",
        ],
        Resource: "*",
      },
    ],
  },
};
