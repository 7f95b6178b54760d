import { createHmac } from "node:crypto";
import { PARTITIONS, partitionOf, partitionOfArn, regionIn } from "@gantry/requests";
import { z } from "zod";
import { invalid } from "../../http/errors.js";
import { secretText, strict } from "../../http/input.js";

const ROLE_ARN = /^arn:aws[\w-]*:iam::\d{12}:role\/[\w+=,.@/-]{1,512}$/;

export const credentialsInput = strict({
  role_arn: z.string().regex(ROLE_ARN, "must be the ARN of an IAM role").optional(),
  access_key_id: z
    .string()
    .regex(/^\w{16,128}$/, "must be an access key's id")
    .optional(),
  secret_access_key: secretText({ min: 16, max: 256 }).optional(),
});

/** A provider's credentials: a role to assume, or an access key. */
export type Credentials = { roleArn: string } | { accessKeyId: string; secretAccessKey: string };

/** @throws 422 unless the credentials are either a role or an access key */
export function readCredentials(input: z.infer<typeof credentialsInput>): Credentials {
  const { role_arn: roleArn, access_key_id: accessKeyId, secret_access_key: secretAccessKey } = input;
  if (roleArn && !accessKeyId && !secretAccessKey) return { roleArn };
  if (!roleArn && accessKeyId && secretAccessKey) return { accessKeyId, secretAccessKey };
  throw invalid("provider.credentials", "must hold either role_arn or access_key_id and secret_access_key");
}

/**
 * The region for calls that concern the AWS account as a whole: `preferred` where it lies in the role's partition. An access
 * key tells no partition: its AWS account must be in that of `preferred`.
 *
 * @throws 422 where the role lies in a partition in which Gantry does not work
 */
export function homeRegionFor(credentials: Credentials, preferred: string): string {
  const partition = "roleArn" in credentials ? partitionOfArn(credentials.roleArn) : partitionOf(preferred);
  if (partition) return regionIn(partition, preferred);
  throw invalid("provider.credentials.role_arn", `must lie in one of the partitions ${PARTITIONS.join(", ")}`);
}

/** The external id in the trust policies of an account's roles; derived, since it must be known before a provider. */
export function externalIdOf(key: Uint8Array, accountId: string): string {
  return createHmac("sha256", key).update(accountId).digest("hex").slice(0, 32);
}
