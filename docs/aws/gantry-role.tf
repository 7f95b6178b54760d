# The role by which Gantry acts in this AWS account. Written by npm run policies.

terraform {
  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 5.0"
    }
  }
}

variable "worker_arn" {
  description = "The ARN of the role or user that Gantry's workers run as"
  type        = string
}

variable "external_id" {
  description = "The answer of GET /accounts/:account/external-id"
  type        = string
}

variable "customer_keys" {
  description = "Whether disks or databases are encrypted with keys of this AWS account's own"
  type        = bool
  default     = false
}

data "aws_partition" "current" {}

data "aws_caller_identity" "current" {}

resource "aws_iam_policy" "servers" {
  name   = "gantry-servers"
  policy = jsonencode({
    "Version": "2012-10-17",
    "Statement": [
      {
        "Sid": "Read",
        "Effect": "Allow",
        "Action": [
          "autoscaling:DescribeAutoScalingGroups",
          "autoscaling:DescribeAutoScalingInstances",
          "autoscaling:DescribeInstanceRefreshes",
          "autoscaling:DescribeScalingActivities",
          "ec2:DescribeAddresses",
          "ec2:DescribeAvailabilityZones",
          "ec2:DescribeIamInstanceProfileAssociations",
          "ec2:DescribeImages",
          "ec2:DescribeInstanceAttribute",
          "ec2:DescribeInstanceStatus",
          "ec2:DescribeInstanceTypeOfferings",
          "ec2:DescribeInstanceTypes",
          "ec2:DescribeInstances",
          "ec2:DescribeInternetGateways",
          "ec2:DescribeKeyPairs",
          "ec2:DescribeLaunchTemplateVersions",
          "ec2:DescribeLaunchTemplates",
          "ec2:DescribeNatGateways",
          "ec2:DescribeNetworkAcls",
          "ec2:DescribeNetworkInterfaces",
          "ec2:DescribeRegions",
          "ec2:DescribeRouteTables",
          "ec2:DescribeSecurityGroupRules",
          "ec2:DescribeSecurityGroups",
          "ec2:DescribeSnapshots",
          "ec2:DescribeSubnets",
          "ec2:DescribeTags",
          "ec2:DescribeVolumes",
          "ec2:DescribeVolumesModifications",
          "ec2:DescribeVpcEndpoints",
          "ec2:DescribeVpcs",
          "ec2:DescribeVpnGateways",
          "ec2:GetEbsDefaultKmsKeyId",
          "ec2:GetEbsEncryptionByDefault",
          "servicequotas:GetServiceQuota"
        ],
        "Resource": [
          "*"
        ]
      },
      {
        "Sid": "ReadPublicImages",
        "Effect": "Allow",
        "Action": [
          "ssm:GetParameter"
        ],
        "Resource": [
          "arn:${data.aws_partition.current.partition}:ssm:*::parameter/aws/service/*"
        ]
      },
      {
        "Sid": "CreateTagged",
        "Effect": "Allow",
        "Action": [
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
          "ec2:RunInstances"
        ],
        "Resource": [
          "arn:${data.aws_partition.current.partition}:ec2:*:*:elastic-ip/*",
          "arn:${data.aws_partition.current.partition}:ec2:*::image/*",
          "arn:${data.aws_partition.current.partition}:ec2:*:*:instance/*",
          "arn:${data.aws_partition.current.partition}:ec2:*:*:internet-gateway/*",
          "arn:${data.aws_partition.current.partition}:ec2:*:*:key-pair/*",
          "arn:${data.aws_partition.current.partition}:ec2:*:*:launch-template/*",
          "arn:${data.aws_partition.current.partition}:ec2:*:*:natgateway/*",
          "arn:${data.aws_partition.current.partition}:ec2:*:*:route-table/*",
          "arn:${data.aws_partition.current.partition}:ec2:*:*:security-group/*",
          "arn:${data.aws_partition.current.partition}:ec2:*:*:security-group-rule/*",
          "arn:${data.aws_partition.current.partition}:ec2:*::snapshot/*",
          "arn:${data.aws_partition.current.partition}:ec2:*:*:subnet/*",
          "arn:${data.aws_partition.current.partition}:ec2:*:*:volume/*",
          "arn:${data.aws_partition.current.partition}:ec2:*:*:vpc/*"
        ],
        "Condition": {
          "Null": {
            "aws:RequestTag/gantry:account": "false"
          }
        }
      },
      {
        "Sid": "TagNew",
        "Effect": "Allow",
        "Action": [
          "ec2:CreateTags"
        ],
        "Resource": [
          "arn:${data.aws_partition.current.partition}:ec2:*:*:*/*"
        ],
        "Condition": {
          "StringEquals": {
            "ec2:CreateAction": [
              "AllocateAddress",
              "AuthorizeSecurityGroupIngress",
              "CreateInternetGateway",
              "CreateLaunchTemplate",
              "CreateNatGateway",
              "CreateRouteTable",
              "CreateSecurityGroup",
              "CreateSnapshot",
              "CreateSubnet",
              "CreateVolume",
              "CreateVpc",
              "ImportKeyPair",
              "RegisterImage",
              "RunInstances"
            ]
          }
        }
      },
      {
        "Sid": "LaunchWith",
        "Effect": "Allow",
        "Action": [
          "ec2:RunInstances"
        ],
        "Resource": [
          "arn:${data.aws_partition.current.partition}:ec2:*::image/*",
          "arn:${data.aws_partition.current.partition}:ec2:*:*:key-pair/*",
          "arn:${data.aws_partition.current.partition}:ec2:*:*:launch-template/*",
          "arn:${data.aws_partition.current.partition}:ec2:*:*:network-interface/*",
          "arn:${data.aws_partition.current.partition}:ec2:*:*:security-group/*",
          "arn:${data.aws_partition.current.partition}:ec2:*::snapshot/*",
          "arn:${data.aws_partition.current.partition}:ec2:*:*:subnet/*"
        ]
      },
      {
        "Sid": "UseDefaultVpc",
        "Effect": "Allow",
        "Action": [
          "ec2:CreateSecurityGroup"
        ],
        "Resource": [
          "arn:${data.aws_partition.current.partition}:ec2:*:*:vpc/*"
        ]
      },
      {
        "Sid": "ChangeOwn",
        "Effect": "Allow",
        "Action": [
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
          "ec2:ModifySecurityGroupRules",
          "ec2:ModifyVolume",
          "ec2:ModifyVpcAttribute",
          "ec2:RebootInstances",
          "ec2:RegisterImage",
          "ec2:ReleaseAddress",
          "ec2:ReplaceIamInstanceProfileAssociation",
          "ec2:RevokeSecurityGroupIngress",
          "ec2:StartInstances",
          "ec2:StopInstances",
          "ec2:TerminateInstances"
        ],
        "Resource": [
          "*"
        ],
        "Condition": {
          "Null": {
            "aws:ResourceTag/gantry:account": "false"
          }
        }
      },
      {
        "Sid": "MoveAddresses",
        "Effect": "Allow",
        "Action": [
          "ec2:AssociateAddress",
          "ec2:DisassociateAddress"
        ],
        "Resource": [
          "arn:${data.aws_partition.current.partition}:ec2:*:*:network-interface/*"
        ]
      },
      {
        "Sid": "ScalingGroups",
        "Effect": "Allow",
        "Action": [
          "autoscaling:AttachInstances",
          "autoscaling:CreateAutoScalingGroup",
          "autoscaling:CreateOrUpdateTags",
          "autoscaling:DeleteAutoScalingGroup",
          "autoscaling:DeleteTags",
          "autoscaling:DetachInstances",
          "autoscaling:RollbackInstanceRefresh",
          "autoscaling:SetInstanceProtection",
          "autoscaling:StartInstanceRefresh",
          "autoscaling:SuspendProcesses",
          "autoscaling:UpdateAutoScalingGroup"
        ],
        "Resource": [
          "arn:${data.aws_partition.current.partition}:autoscaling:*:*:autoScalingGroup:*:autoScalingGroupName/gantry-*"
        ]
      }
    ]
  })
}

resource "aws_iam_policy" "databases_and_roles" {
  name   = "gantry-databases-and-roles"
  policy = jsonencode({
    "Version": "2012-10-17",
    "Statement": [
      {
        "Sid": "Read",
        "Effect": "Allow",
        "Action": [
          "iam:GetInstanceProfile",
          "iam:GetPolicy",
          "iam:GetRole",
          "iam:GetRolePolicy",
          "iam:ListAttachedRolePolicies",
          "iam:ListEntitiesForPolicy",
          "iam:ListInstanceProfilesForRole",
          "iam:ListPolicyVersions",
          "iam:ListRolePolicies",
          "iam:SimulatePrincipalPolicy",
          "rds:DescribeDBClusterSnapshots",
          "rds:DescribeDBClusters",
          "rds:DescribeDBEngineVersions",
          "rds:DescribeDBInstances",
          "rds:DescribeDBParameterGroups",
          "rds:DescribeDBSnapshots",
          "rds:DescribeDBSubnetGroups",
          "rds:DescribeOrderableDBInstanceOptions"
        ],
        "Resource": [
          "*"
        ]
      },
      {
        "Sid": "Databases",
        "Effect": "Allow",
        "Action": [
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
          "rds:StopDBInstance"
        ],
        "Resource": [
          "arn:${data.aws_partition.current.partition}:rds:*:*:cluster:gantry-*",
          "arn:${data.aws_partition.current.partition}:rds:*:*:cluster-pg:default*",
          "arn:${data.aws_partition.current.partition}:rds:*:*:cluster-snapshot:gantry-*",
          "arn:${data.aws_partition.current.partition}:rds:*:*:db:gantry-*",
          "arn:${data.aws_partition.current.partition}:rds:*:*:og:default*",
          "arn:${data.aws_partition.current.partition}:rds:*:*:pg:default*",
          "arn:${data.aws_partition.current.partition}:rds:*:*:pg:gantry-*",
          "arn:${data.aws_partition.current.partition}:rds:*:*:snapshot:gantry-*",
          "arn:${data.aws_partition.current.partition}:rds:*:*:subgrp:gantry-*"
        ]
      },
      {
        "Sid": "BoundedRoles",
        "Effect": "Allow",
        "Action": [
          "iam:AttachRolePolicy",
          "iam:CreateRole",
          "iam:DeleteRole",
          "iam:DeleteRolePolicy",
          "iam:DetachRolePolicy",
          "iam:PutRolePolicy",
          "iam:UpdateAssumeRolePolicy"
        ],
        "Resource": [
          "arn:${data.aws_partition.current.partition}:iam::${data.aws_caller_identity.current.account_id}:role/*"
        ],
        "Condition": {
          "ArnLike": {
            "iam:PermissionsBoundary": "arn:${data.aws_partition.current.partition}:iam::${data.aws_caller_identity.current.account_id}:policy/gantry-boundary"
          }
        }
      },
      {
        "Sid": "CreateTaggedForRoles",
        "Effect": "Allow",
        "Action": [
          "iam:CreateInstanceProfile",
          "iam:CreatePolicy",
          "iam:TagInstanceProfile",
          "iam:TagPolicy",
          "iam:TagRole"
        ],
        "Resource": [
          "arn:${data.aws_partition.current.partition}:iam::${data.aws_caller_identity.current.account_id}:instance-profile/*",
          "arn:${data.aws_partition.current.partition}:iam::${data.aws_caller_identity.current.account_id}:policy/*",
          "arn:${data.aws_partition.current.partition}:iam::${data.aws_caller_identity.current.account_id}:role/*"
        ],
        "Condition": {
          "Null": {
            "aws:RequestTag/gantry:account": "false"
          }
        }
      },
      {
        "Sid": "ChangeOwnForRoles",
        "Effect": "Allow",
        "Action": [
          "iam:AddRoleToInstanceProfile",
          "iam:DeleteInstanceProfile",
          "iam:DeletePolicy",
          "iam:RemoveRoleFromInstanceProfile"
        ],
        "Resource": [
          "arn:${data.aws_partition.current.partition}:iam::${data.aws_caller_identity.current.account_id}:instance-profile/*",
          "arn:${data.aws_partition.current.partition}:iam::${data.aws_caller_identity.current.account_id}:policy/*"
        ],
        "Condition": {
          "Null": {
            "aws:ResourceTag/gantry:account": "false"
          }
        }
      },
      {
        "Sid": "RetagOwn",
        "Effect": "Allow",
        "Action": [
          "iam:TagInstanceProfile",
          "iam:TagPolicy",
          "iam:TagRole",
          "iam:UntagInstanceProfile",
          "iam:UntagPolicy",
          "iam:UntagRole"
        ],
        "Resource": [
          "arn:${data.aws_partition.current.partition}:iam::${data.aws_caller_identity.current.account_id}:instance-profile/*",
          "arn:${data.aws_partition.current.partition}:iam::${data.aws_caller_identity.current.account_id}:policy/*",
          "arn:${data.aws_partition.current.partition}:iam::${data.aws_caller_identity.current.account_id}:role/*"
        ],
        "Condition": {
          "Null": {
            "aws:ResourceTag/gantry:account": "false"
          }
        }
      },
      {
        "Sid": "KeepBoundary",
        "Effect": "Deny",
        "Action": [
          "iam:CreatePolicy",
          "iam:DeletePolicy",
          "iam:TagPolicy",
          "iam:UntagPolicy"
        ],
        "Resource": [
          "arn:${data.aws_partition.current.partition}:iam::${data.aws_caller_identity.current.account_id}:policy/gantry-boundary"
        ]
      },
      {
        "Sid": "PassRolesToServers",
        "Effect": "Allow",
        "Action": [
          "iam:PassRole"
        ],
        "Resource": [
          "arn:${data.aws_partition.current.partition}:iam::${data.aws_caller_identity.current.account_id}:role/*"
        ],
        "Condition": {
          "StringEquals": {
            "iam:PassedToService": "ec2.amazonaws.com"
          }
        }
      },
      {
        "Sid": "ServiceRoles",
        "Effect": "Allow",
        "Action": [
          "iam:CreateServiceLinkedRole"
        ],
        "Resource": [
          "arn:${data.aws_partition.current.partition}:iam::${data.aws_caller_identity.current.account_id}:role/aws-service-role/*"
        ],
        "Condition": {
          "StringEquals": {
            "iam:AWSServiceName": [
              "autoscaling.amazonaws.com",
              "rds.amazonaws.com"
            ]
          }
        }
      }
    ]
  })
}

resource "aws_iam_policy" "customer_keys" {
  count  = var.customer_keys ? 1 : 0
  name   = "gantry-customer-keys"
  policy = jsonencode({
    "Version": "2012-10-17",
    "Statement": [
      {
        "Sid": "KeysThroughServices",
        "Effect": "Allow",
        "Action": [
          "kms:Decrypt",
          "kms:DescribeKey",
          "kms:GenerateDataKeyWithoutPlaintext",
          "kms:ReEncrypt*"
        ],
        "Resource": [
          "arn:${data.aws_partition.current.partition}:kms:*:*:key/*"
        ],
        "Condition": {
          "StringLike": {
            "kms:ViaService": [
              "ec2.*.amazonaws.com",
              "rds.*.amazonaws.com"
            ]
          }
        }
      },
      {
        "Sid": "GrantKeysToServices",
        "Effect": "Allow",
        "Action": [
          "kms:CreateGrant"
        ],
        "Resource": [
          "arn:${data.aws_partition.current.partition}:kms:*:*:key/*"
        ],
        "Condition": {
          "Bool": {
            "kms:GrantIsForAWSResource": "true"
          },
          "StringLike": {
            "kms:ViaService": [
              "ec2.*.amazonaws.com",
              "rds.*.amazonaws.com"
            ]
          }
        }
      }
    ]
  })
}

resource "aws_iam_policy" "boundary" {
  name   = "gantry-boundary"
  policy = jsonencode({
    "Version": "2012-10-17",
    "Statement": [
      {
        "Sid": "Servers",
        "Effect": "Allow",
        "Action": [
          "autoscaling:Describe*",
          "cloudwatch:Describe*",
          "cloudwatch:Generate*",
          "cloudwatch:Get*",
          "cloudwatch:List*",
          "cloudwatch:PutMetricData",
          "devops-guru:GetResourceCollection",
          "devops-guru:ListAnomaliesForInsight",
          "devops-guru:SearchInsights",
          "ec2:AssignPrivateIpAddresses",
          "ec2:AttachNetworkInterface",
          "ec2:CreateNetworkInterface",
          "ec2:DeleteNetworkInterface",
          "ec2:Describe*",
          "ec2:DetachNetworkInterface",
          "ec2:GetSecurityGroupsForVpc",
          "ec2:ModifyNetworkInterfaceAttribute",
          "ec2:UnassignPrivateIpAddresses",
          "ec2messages:*",
          "ecr:BatchCheckLayerAvailability",
          "ecr:BatchGetImage",
          "ecr:Describe*",
          "ecr:Get*",
          "ecr:List*",
          "eks:DescribeCluster",
          "eks-auth:AssumeRoleForPodIdentity",
          "elasticfilesystem:Backup",
          "elasticfilesystem:ClientMount",
          "elasticfilesystem:ClientWrite",
          "elasticfilesystem:Describe*",
          "elasticfilesystem:ListTagsForResource",
          "elasticfilesystem:ReplicationRead",
          "elasticloadbalancing:Describe*",
          "kms:ListAliases",
          "logs:CreateLogGroup",
          "logs:CreateLogStream",
          "logs:Describe*",
          "logs:FilterLogEvents",
          "logs:Get*",
          "logs:List*",
          "logs:PutLogEvents",
          "logs:PutRetentionPolicy",
          "logs:StartLiveTail",
          "logs:StartQuery",
          "logs:StopLiveTail",
          "logs:StopQuery",
          "logs:TestMetricFilter",
          "observabilityadmin:Get*",
          "observabilityadmin:List*",
          "rds:Describe*",
          "rds:ListTagsForResource",
          "s3:Describe*",
          "s3:Get*",
          "s3:List*",
          "s3-object-lambda:Get*",
          "s3-object-lambda:List*",
          "sms-voice:Describe*",
          "sns:CheckIfPhoneNumberIsOptedOut",
          "sns:Get*",
          "sns:List*",
          "sqs:Get*",
          "sqs:List*",
          "ssm:Describe*",
          "ssm:Get*",
          "ssm:List*",
          "ssm:PutComplianceItems",
          "ssm:PutConfigurePackageResult",
          "ssm:PutInventory",
          "ssm:UpdateAssociationStatus",
          "ssm:UpdateInstanceAssociationStatus",
          "ssm:UpdateInstanceInformation",
          "ssmmessages:*",
          "xray:GetSampling*",
          "xray:PutTelemetryRecords",
          "xray:PutTraceSegments"
        ],
        "Resource": [
          "*"
        ]
      },
      {
        "Sid": "TagInterfaces",
        "Effect": "Allow",
        "Action": [
          "ec2:CreateTags"
        ],
        "Resource": [
          "arn:${data.aws_partition.current.partition}:ec2:*:*:network-interface/*"
        ]
      }
    ]
  })
}

resource "aws_iam_role" "gantry" {
  name                 = "gantry"
  max_session_duration = 3600
  assume_role_policy   = jsonencode({
    "Version": "2012-10-17",
    "Statement": [
      {
        "Effect": "Allow",
        "Principal": {
          "AWS": "${var.worker_arn}"
        },
        "Action": "sts:AssumeRole",
        "Condition": {
          "StringEquals": {
            "sts:ExternalId": "${var.external_id}"
          }
        }
      }
    ]
  })
}

resource "aws_iam_role_policy_attachment" "servers" {
  role       = aws_iam_role.gantry.name
  policy_arn = aws_iam_policy.servers.arn
}

resource "aws_iam_role_policy_attachment" "databases_and_roles" {
  role       = aws_iam_role.gantry.name
  policy_arn = aws_iam_policy.databases_and_roles.arn
}

resource "aws_iam_role_policy_attachment" "customer_keys" {
  count  = var.customer_keys ? 1 : 0
  role       = aws_iam_role.gantry.name
  policy_arn = aws_iam_policy.customer_keys[0].arn
}

output "role_arn" {
  value = aws_iam_role.gantry.arn
}

output "permissions_boundary" {
  value = aws_iam_policy.boundary.arn
}
