/**
 * The most that a session of a provider's role may do, whatever the role may: what Gantry's policies for roles hold, by
 * service (https://docs.aws.amazon.com/IAM/latest/UserGuide/access_policies.html#policies_session). AWS accepts 2,048
 * characters, too few for the resources that those policies name. A test compares both.
 */
const ACTIONS = `
  ec2:* autoscaling:* rds:*
  iam:AddRoleToInstanceProfile iam:AttachRolePolicy iam:CreateInstanceProfile iam:CreatePolicy iam:CreateRole
  iam:CreateServiceLinkedRole iam:DeleteInstanceProfile iam:DeletePolicy iam:DeleteRole iam:DeleteRolePolicy
  iam:DetachRolePolicy iam:Get* iam:List* iam:PassRole iam:PutRolePolicy iam:RemoveRoleFromInstanceProfile
  iam:SimulatePrincipalPolicy iam:TagInstanceProfile iam:TagPolicy iam:TagRole
  iam:UntagInstanceProfile iam:UntagPolicy iam:UntagRole
  kms:CreateGrant kms:Decrypt kms:DescribeKey kms:GenerateDataKeyWithoutPlaintext kms:ReEncrypt*
  servicequotas:GetServiceQuota ssm:GetParameter
`;

export const SESSION_POLICY = {
  Version: "2012-10-17",
  Statement: [{ Effect: "Allow", Action: ACTIONS.trim().split(/\s+/), Resource: "*" }],
};
