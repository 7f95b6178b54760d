import { readFileSync } from "node:fs";
import { CloudFormationClient, CreateStackCommand, DescribeStacksCommand } from "@aws-sdk/client-cloudformation";
import {
  AttachRolePolicyCommand,
  CreateRoleCommand,
  IAMClient,
  PutRolePolicyCommand,
  PutUserPolicyCommand,
} from "@aws-sdk/client-iam";
import type { AwsAccount } from "@gantry/local-stack";
import { aws, createAwsAccount, REGION } from "./account.js";
import { awsEndpoint } from "./stack.js";

export interface PolicyDocument {
  Version: string;
  Statement: { Sid: string; Effect: string; Action: string[] }[];
}

/** Reads a file that operators download. */
export function shippedFile(name: string): string {
  return readFileSync(new URL(`../../docs/aws/${name}`, import.meta.url), "utf8");
}

const SHIPPED = ["gantry-servers", "gantry-databases-and-roles"];

/** The policies of a provider's role without keys of the AWS account's own. */
export const shippedPolicies: readonly PolicyDocument[] = SHIPPED.map((name) =>
  JSON.parse(shippedFile(`${name}.json`)),
);

const EXTERNAL_ID = "0123456789abcdef0123456789abcdef";

/** An AWS account that was set up by the shipped template and enforces policies, and the worker's identity in another. */
export interface ShippedPermissions {
  /** The customer's AWS account; its key pair may do everything. */
  awsAccount: AwsAccount;
  /** The worker's identity, in its own AWS account. */
  worker: AwsAccount;
  roleArn: string;
  externalId: string;
  permissionsBoundary: string;
  /**
   * Creates another role that the worker may assume, with the shipped policies without one action, and returns its ARN.
   */
  createRoleWithout(action: string): Promise<string>;
}

/** Sets up both AWS accounts, and makes the worker's identity the default credentials of this process. */
export async function installShippedPermissions(): Promise<ShippedPermissions> {
  const [worker, awsAccount] = await Promise.all([createAwsAccount(), createAwsAccount()]);
  await giveUser(worker, shippedFile("gantry-worker.json"));
  const everything = { Version: "2012-10-17", Statement: [{ Effect: "Allow", Action: "*", Resource: "*" }] };
  await giveUser(awsAccount, JSON.stringify(everything));
  const workerArn = `arn:aws:iam::${worker.accountId}:user/gantry`;
  const { RoleArn: roleArn = "", PermissionsBoundary: permissionsBoundary = "" } = await deploy(awsAccount, workerArn);
  const iam = new IAMClient(clientOptions(awsAccount));
  // The emulator's CloudFormation attaches no managed policy to a role.
  for (const name of SHIPPED) {
    const PolicyArn = `arn:aws:iam::${awsAccount.accountId}:policy/${name}`;
    await iam.send(new AttachRolePolicyCommand({ RoleName: roleArn.split("/").at(-1), PolicyArn }));
  }
  for (const { accountId } of [worker, awsAccount]) await aws.enforcePolicies({ accountId });
  process.env.AWS_ACCESS_KEY_ID = worker.accessKeyId;
  process.env.AWS_SECRET_ACCESS_KEY = worker.secretAccessKey;
  const trust = {
    Version: "2012-10-17",
    Statement: [
      {
        Effect: "Allow",
        Principal: { AWS: workerArn },
        Action: "sts:AssumeRole",
        Condition: { StringEquals: { "sts:ExternalId": EXTERNAL_ID } },
      },
    ],
  };
  return {
    awsAccount,
    worker,
    roleArn,
    externalId: EXTERNAL_ID,
    permissionsBoundary,
    createRoleWithout: async (action) => {
      const RoleName = `gantry-without-${action.replace(":", "-")}`.slice(0, 64);
      const create = new CreateRoleCommand({ RoleName, AssumeRolePolicyDocument: JSON.stringify(trust) });
      const { Role } = await iam.send(create);
      for (const [index, policy] of shippedPolicies.entries()) {
        const PolicyDocument = JSON.stringify(without(policy, action));
        await iam.send(new PutRolePolicyCommand({ RoleName, PolicyName: `policy-${index}`, PolicyDocument }));
      }
      return Role?.Arn ?? "";
    },
  };
}

function without(policy: PolicyDocument, action: string): PolicyDocument {
  const Statement = policy.Statement.map((each) => ({
    ...each,
    Action: each.Action.filter((name) => name !== action),
  }));
  return { ...policy, Statement: Statement.filter(({ Action }) => Action.length > 0) };
}

/** Deploys the shipped template and returns its outputs. */
async function deploy(account: AwsAccount, workerArn: string): Promise<Record<string, string>> {
  const cloudFormation = new CloudFormationClient(clientOptions(account));
  await cloudFormation.send(
    new CreateStackCommand({
      StackName: "gantry",
      TemplateBody: shippedFile("gantry-role.cloudformation.json"),
      Capabilities: ["CAPABILITY_NAMED_IAM"],
      Parameters: [
        { ParameterKey: "WorkerArn", ParameterValue: workerArn },
        { ParameterKey: "ExternalId", ParameterValue: EXTERNAL_ID },
      ],
    }),
  );
  const { Stacks } = await cloudFormation.send(new DescribeStacksCommand({ StackName: "gantry" }));
  return Object.fromEntries((Stacks?.[0]?.Outputs ?? []).map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue]));
}

async function giveUser(account: AwsAccount, PolicyDocument: string): Promise<void> {
  const put = new PutUserPolicyCommand({ UserName: "gantry", PolicyName: "permissions", PolicyDocument });
  await new IAMClient(clientOptions(account)).send(put);
}

function clientOptions({ accessKeyId, secretAccessKey }: AwsAccount) {
  return { endpoint: awsEndpoint, region: REGION, credentials: { accessKeyId, secretAccessKey }, maxAttempts: 1 };
}
