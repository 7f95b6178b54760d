import type { Policy } from "./policies.js";

// The union of what the allowed AWS policies and Gantry's own policies for roles hold, by service; a test compares them.
const ALLOWED = `
  autoscaling:Describe* cloudwatch:Describe* cloudwatch:Generate* cloudwatch:Get* cloudwatch:List* cloudwatch:PutMetricData
  devops-guru:GetResourceCollection devops-guru:ListAnomaliesForInsight devops-guru:SearchInsights
  ec2:AssignPrivateIpAddresses ec2:AttachNetworkInterface ec2:CreateNetworkInterface ec2:DeleteNetworkInterface ec2:Describe*
  ec2:DetachNetworkInterface ec2:GetSecurityGroupsForVpc ec2:ModifyNetworkInterfaceAttribute ec2:UnassignPrivateIpAddresses
  ec2messages:*
  ecr:BatchCheckLayerAvailability ecr:BatchGetImage ecr:Describe* ecr:Get* ecr:List*
  eks:DescribeCluster eks-auth:AssumeRoleForPodIdentity
  elasticfilesystem:Backup elasticfilesystem:ClientMount elasticfilesystem:ClientWrite elasticfilesystem:Describe*
  elasticfilesystem:ListTagsForResource elasticfilesystem:ReplicationRead
  elasticloadbalancing:Describe* kms:ListAliases
  logs:CreateLogGroup logs:CreateLogStream logs:Describe* logs:FilterLogEvents logs:Get* logs:List* logs:PutLogEvents
  logs:PutRetentionPolicy logs:StartLiveTail logs:StartQuery logs:StopLiveTail logs:StopQuery logs:TestMetricFilter
  observabilityadmin:Get* observabilityadmin:List*
  rds:Describe* rds:ListTagsForResource
  s3:Describe* s3:Get* s3:List* s3-object-lambda:Get* s3-object-lambda:List* sms-voice:Describe*
  sns:CheckIfPhoneNumberIsOptedOut sns:Get* sns:List* sqs:Get* sqs:List*
  ssm:Describe* ssm:Get* ssm:List* ssm:PutComplianceItems ssm:PutConfigurePackageResult ssm:PutInventory
  ssm:UpdateAssociationStatus ssm:UpdateInstanceAssociationStatus ssm:UpdateInstanceInformation
  ssmmessages:*
  xray:GetSampling* xray:PutTelemetryRecords xray:PutTraceSegments
`;

/** The most that a role which Gantry creates may do, whatever policies it has: no change of permissions, no other role. */
export const BOUNDARY: Policy = {
  Version: "2012-10-17",
  Statement: [
    { Sid: "Servers", Effect: "Allow", Action: ALLOWED.trim().split(/\s+/), Resource: ["*"] },
    {
      Sid: "TagInterfaces",
      Effect: "Allow",
      Action: ["ec2:CreateTags"],
      Resource: ["arn:aws:ec2:*:*:network-interface/*"],
    },
  ],
};
