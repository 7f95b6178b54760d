import { CreateKeyCommand, KMSClient } from "@aws-sdk/client-kms";
import { aws, createAwsAccount, REGION } from "./account.js";
import { awsEndpoint } from "./stack.js";

/** Has the AWS SDK of this test file find an emulated AWS account, as apps find theirs, and returns its KMS. */
export async function useEmulatedKms() {
  const { accountId, accessKeyId, secretAccessKey } = await createAwsAccount();
  Object.assign(process.env, {
    AWS_ENDPOINT_URL: awsEndpoint,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
  });
  const client = new KMSClient({ region: REGION });
  afterAll(() => client.destroy());
  return {
    /** Creates a key, and returns its ARN. */
    createKey: async () => String((await client.send(new CreateKeyCommand({}))).KeyMetadata?.Arn),
    /** Refuses to decrypt what keys have encrypted, as for keys that are disabled: moto decrypts with those too. */
    refuseDecrypt: () => aws.refuse("Decrypt", { accountId, code: "DisabledException" }),
    clear: () => aws.clear({ accountId }),
  };
}
