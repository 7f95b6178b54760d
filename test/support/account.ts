import { randomUUID } from "node:crypto";
import { type Db, nextId, type Provider, Vault } from "@gantry/db";
import { type AwsAccount, AwsControl } from "@gantry/local-stack";
import type { Env } from "@gantry/runtime";
import { awsEndpoint } from "./stack.js";

export const aws = new AwsControl(awsEndpoint);

/** An account with a provider for its own AWS account, and the locations of one region with two zones. */
export interface TestAccount {
  accountId: string;
  provider: Provider;
  awsAccount: AwsAccount;
}

export const REGION = "us-east-1";
/** The regions that are enabled in the tests' AWS accounts: a discovery reads the offers of each. */
export const REGIONS = [REGION, "eu-north-1", "eu-west-1"];
export const ZONES = ["us-east-1a", "us-east-1b"];

/** Creates an empty AWS account with few regions. */
export function createAwsAccount(): Promise<AwsAccount> {
  return aws.createAccount({ regions: REGIONS });
}

export async function createTestAccount(db: Db, env: Env, existing?: AwsAccount): Promise<TestAccount> {
  const awsAccount = existing ?? (await createAwsAccount());
  const accountId = randomUUID();
  await db.account.create({ data: { id: accountId, name: "Test" } });
  const id = await nextId(db, "providers");
  const secretLocation = { table: "providers", column: "credentials", id: String(id), account: accountId };
  const { accessKeyId, secretAccessKey } = awsAccount;
  const credentials = await new Vault(env.MASTER_KEY).encrypt(
    JSON.stringify({ accessKeyId, secretAccessKey }),
    secretLocation,
  );
  const provider = await db.provider.create({
    data: { id, accountId, type: "aws", externalId: randomUUID(), provisionedId: awsAccount.accountId, credentials },
  });
  const region = await db.providerLocation.create({ data: location(REGION) });
  for (const zone of ZONES) await db.providerLocation.create({ data: { ...location(zone), parentId: region.id } });
  return { accountId, provider, awsAccount };

  function location(locationId: string) {
    return { id: randomUUID(), accountId, providerId: id, locationId, locationName: locationId };
  }
}

/** An account with a provider without credentials, for tests that never call AWS. */
export async function createPlainAccount(db: Db): Promise<Pick<TestAccount, "accountId" | "provider">> {
  const accountId = randomUUID();
  await db.account.create({ data: { id: accountId, name: "Test" } });
  const provider = await db.provider.create({ data: { accountId, type: "aws", externalId: randomUUID() } });
  return { accountId, provider };
}
