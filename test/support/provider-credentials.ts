import { Vault } from "@gantry/db";
import type { AwsAccount } from "@gantry/local-stack";
import type { ScenarioContext } from "./scenario.js";
import { createRequestOf } from "./work.js";

/** Creates the Request that replaces the credentials of a provider, as the API does. The old ones need no time to end. */
export async function requestCredentials(
  { db, env, customer }: Pick<ScenarioContext, "db" | "env" | "customer">,
  { accessKeyId, secretAccessKey }: Pick<AwsAccount, "accessKeyId" | "secretAccessKey">,
  input = { settleSeconds: 0 },
): Promise<string> {
  const { id, accountId } = customer.provider;
  const location = { table: "providers", column: "next_credentials", id: String(id), account: accountId };
  const secret = JSON.stringify({ accessKeyId, secretAccessKey });
  const nextCredentials = await new Vault(env.MASTER_KEY).encrypt(secret, location);
  await db.provider.update({ where: { id }, data: { nextCredentials, nextRoleArn: null } });
  return createRequestOf(db, customer, "replace_provider_credentials", { type: "provider", id }, input);
}
