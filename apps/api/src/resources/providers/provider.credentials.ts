import { createHmac, type KeyObject } from "node:crypto";
import { PARTITIONS, partitionOf, partitionOfArn, regionIn } from "@gantry/aws-facts";
import type { Provider, Vault } from "@gantry/db";
import { field } from "@gantry/resources";
import type { Env } from "@gantry/runtime";
import { z } from "zod";
import { invalid } from "../../http/errors/errors.js";
import { secretText, strict } from "../../http/input/input.js";

// An empty text stands for absence only beside the other form of credentials, which clients send together.
const ROLE_ARN = /^(arn:aws[\w-]*:iam::\d{12}:role\/[\w+=,.@/-]{1,512})?$/;

export const CREDENTIALS = "must contain either role_arn, or access_key_id and secret_access_key";

const ACCESS_KEY_ID = /^\w{16,128}$/;

const accessKeyId = z.string().max(128);
const secretAccessKey = secretText({ max: 256 });

export const credentialsInput = strict({
  role_arn: field(
    z.string().regex(ROLE_ARN, "must be the ARN of an IAM role").optional(),
    "arn:aws:iam::123456789012:role/gantry",
  ),
  access_key_id: accessKeyId.optional(),
  secret_access_key: secretAccessKey.optional(),
  aws_secret_id: accessKeyId.optional().describe("Alias of `access_key_id`"),
  aws_secret_key: secretAccessKey.optional().describe("Alias of `secret_access_key`"),
});

type CredentialsInput = z.infer<typeof credentialsInput>;

/**
 * The columns of a new provider that its credentials determine: an access key is encrypted, and a provider without credentials is shared.
 *
 * @throws 422 as `readCredentials` and `homeRegionFor`
 */
export async function credentialColumns(
  input: CredentialsInput | undefined,
  { env, vault, provider }: { env: Env; vault: Vault; provider: { id: number; accountId: string } },
): Promise<{ shared: boolean; homeRegion: string; roleArn?: string; credentials?: Uint8Array<ArrayBuffer> }> {
  const read = input && readCredentials(input, Boolean(env.AWS_ENDPOINT_URL));
  const columns = { shared: read === undefined, homeRegion: homeRegionFor(read, env.HOME_REGION) };
  if (!read || "roleArn" in read) return { ...columns, ...read };
  const location = {
    table: "providers",
    column: "credentials",
    id: String(provider.id),
    account: provider.accountId,
  } as const;
  return { ...columns, credentials: await vault.encrypt(JSON.stringify(read), location) };
}

/**
 * The columns of credentials that will take the place of a provider's, once AWS has accepted them.
 *
 * @throws 422 as `readCredentials`, and if the role is in another AWS account
 */
export async function nextCredentialColumns(
  input: CredentialsInput,
  { env, vault, provider }: { env: Env; vault: Vault; provider: Provider },
): Promise<{ nextRoleArn: string | null; nextCredentials: Uint8Array<ArrayBuffer> | null }> {
  const read = readCredentials(input, Boolean(env.AWS_ENDPOINT_URL));
  if ("roleArn" in read) {
    const account = read.roleArn.split(":")[4];
    if (account !== provider.provisionedId)
      throw invalid(
        "provider.credentials.role_arn",
        `is in the AWS account ${account}; provider ${provider.id} is the AWS account ${provider.provisionedId}`,
      );
    return { nextRoleArn: read.roleArn, nextCredentials: null };
  }
  const location = {
    table: "providers",
    column: "next_credentials",
    id: String(provider.id),
    account: provider.accountId,
  };
  return { nextRoleArn: null, nextCredentials: await vault.encrypt(JSON.stringify(read), location) };
}

/** A provider's credentials: a role to assume, or an access key. */
type Credentials = { roleArn: string } | { accessKeyId: string; secretAccessKey: string };

/**
 * @param isEmulated an emulator accepts keys of any form
 * @throws 422 unless the credentials are either a role or an access key
 */
function readCredentials(input: CredentialsInput, isEmulated: boolean): Credentials {
  const roleArn = input.role_arn?.trim();
  const accessKeyId = oneOf(input, "access_key_id", "aws_secret_id");
  const secretAccessKey = oneOf(input, "secret_access_key", "aws_secret_key");
  if (roleArn && !accessKeyId && !secretAccessKey) return { roleArn };
  if (roleArn || !accessKeyId || !secretAccessKey) {
    const given = Object.entries({ role_arn: roleArn, access_key_id: accessKeyId, secret_access_key: secretAccessKey });
    const names = given.flatMap(([name, value]) => (value ? [name] : []));
    const found = names.length > 0 ? `only ${names.join(" and ")}`.replace(/^only (?=.* and )/, "") : "no value";
    throw invalid("provider.credentials", `${CREDENTIALS}; found ${found}`);
  }
  if (!isEmulated && !ACCESS_KEY_ID.test(accessKeyId.value))
    throw invalid(accessKeyId.path, "must be an access key id of 16 to 128 letters and digits");
  if (!isEmulated && secretAccessKey.value.length < 16)
    throw invalid(secretAccessKey.path, "must have at least 16 characters");
  return { accessKeyId: accessKeyId.value, secretAccessKey: secretAccessKey.value };
}

/** Returns the value of a parameter that has two names, with the name that was used. */
function oneOf(input: CredentialsInput, name: keyof CredentialsInput, other: keyof CredentialsInput) {
  const [value, otherValue] = [input[name], input[other]].map((text) => (text?.trim() ? text : undefined));
  if (value && otherValue && value !== otherValue)
    throw invalid(`provider.credentials.${other}`, `differs from ${name}, which is the same setting`);
  if (value) return { value, path: `provider.credentials.${name}` };
  return otherValue ? { value: otherValue, path: `provider.credentials.${other}` } : undefined;
}

/**
 * The region for calls that concern the AWS account as a whole: `preferred` if it lies in the role's partition. Neither
 * an access key nor the workers' own identity shows its partition: its AWS account must be in the partition of
 * `preferred`.
 *
 * @throws 422 if the role lies in a partition in which Gantry does not work
 */
function homeRegionFor(credentials: Credentials | undefined, preferred: string): string {
  const partition =
    credentials && "roleArn" in credentials ? partitionOfArn(credentials.roleArn) : partitionOf(preferred);
  if (partition) return regionIn(partition, preferred);
  throw invalid("provider.credentials.role_arn", `must be in one of the partitions ${PARTITIONS.join(", ")}`);
}

/**
 * The external id in the trust policies of an account's roles; derived, because it must be known before a provider
 * exists.
 */
export function externalIdOf(key: KeyObject, accountId: string): string {
  return createHmac("sha256", key).update(accountId).digest("hex").slice(0, 32);
}
