import { CreateSecurityGroupCommand, DescribeVpcsCommand, ImportKeyPairCommand } from "@aws-sdk/client-ec2";
import type { Db, Environment } from "@gantry/db";
import type { AwsAccount } from "@gantry/local-stack";
import { awsOpener } from "@gantry/worker";
import { REGION, type TestAccount } from "./account.js";
import { createEnvironment, createFirewall } from "./api.js";

/** An SSH key that EC2 accepts. */
export const PUBLIC_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIB3xJx3I+VjEXhSJmBxWd+o3wIwd1DoziEe1EvGbhLqR";

interface SharedObjects {
  groupId: string;
  keyName: string;
}

const sharedByAccount = new Map<string, Promise<SharedObjects>>();

/** An environment with a provisioned firewall: all environments of an AWS account share one security group. */
export async function createProvisionedEnvironment(
  db: Db,
  { provider, awsAccount }: TestAccount,
): Promise<Environment> {
  const shared = sharedByAccount.get(awsAccount.accessKeyId) ?? createShared(awsAccount);
  sharedByAccount.set(awsAccount.accessKeyId, shared);
  const { groupId, keyName } = await shared;
  const keys = { internalPublicKey: PUBLIC_KEY, keyPairName: keyName };
  const environment = await createEnvironment(db, provider, keys);
  const { id: firewallId } = await createFirewall(db, environment, { provisionedId: groupId });
  return db.environment.update({ where: { id: environment.id }, data: { firewallId } });
}

async function createShared(account: AwsAccount): Promise<SharedObjects> {
  const { ec2 } = awsOpener(10)(REGION, account);
  const { Vpcs } = await ec2.send(new DescribeVpcsCommand({ Filters: [{ Name: "is-default", Values: ["true"] }] }));
  const named = { GroupName: "shared", Description: "Shared", VpcId: Vpcs?.[0]?.VpcId };
  const [{ GroupId = "" }] = await Promise.all([
    ec2.send(new CreateSecurityGroupCommand(named)),
    ec2.send(new ImportKeyPairCommand({ KeyName: "shared", PublicKeyMaterial: Buffer.from(PUBLIC_KEY) })),
  ]);
  return { groupId: GroupId, keyName: "shared" };
}
