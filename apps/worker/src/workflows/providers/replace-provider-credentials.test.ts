import { CreateAccessKeyCommand, CreateUserCommand, DeleteAccessKeyCommand } from "@aws-sdk/client-iam";
import { aws, REGION } from "@gantry/test/support/account";
import { awsTestContext } from "@gantry/test/support/aws-test-context";
import { requestCredentials } from "@gantry/test/support/provider-credentials";
import { awsOpener } from "../../aws/clients.js";
import { runRequest } from "../../engine/run.js";

const context = awsTestContext();

const providerOf = () => context.db.provider.findUniqueOrThrow({ where: { id: context.customer.provider.id } });

/** Creates another access key of the customer's AWS account, which may do everything. */
async function createKey() {
  const { iam } = awsOpener(10)(REGION, context.customer.awsAccount);
  await iam.send(new CreateUserCommand({ UserName: "successor" }));
  const { AccessKey } = await iam.send(new CreateAccessKeyCommand({ UserName: "successor" }));
  return { accessKeyId: AccessKey?.AccessKeyId ?? "", secretAccessKey: AccessKey?.SecretAccessKey ?? "" };
}

it("replaces a key by another one of the same AWS account, which later calls use", async () => {
  const key = await createKey();
  expect(await context.outcome(await requestCredentials(context, key))).toMatchObject({ successful: true });
  expect(await providerOf()).toMatchObject({ nextCredentials: null, credentialsReplacedAt: expect.any(Date) });
  const { iam } = awsOpener(10)(REGION, key);
  await iam.send(new DeleteAccessKeyCommand({ AccessKeyId: key.accessKeyId, UserName: "successor" }));
  expect(await aws.calls({ accessKeyId: key.accessKeyId, action: "GetCallerIdentity" })).toHaveLength(1);
});

it("keeps the old key, and names both AWS accounts, if the new one belongs to another", async () => {
  const { credentials, provisionedId } = await providerOf();
  const other = await aws.createAccount();
  const { successful, message } = await context.outcome(await requestCredentials(context, other));
  expect([successful, message]).toEqual([
    false,
    expect.stringContaining(`belong to the AWS account ${other.accountId}, and the provider to ${provisionedId}`),
  ]);
  expect(await providerOf()).toMatchObject({ credentials, nextCredentials: null, credentialsReplacedAt: null });
});

it("keeps the old key if AWS does not accept the new one", async () => {
  const { credentials } = await providerOf();
  const accessKeyId = "AKIAIOSFODNN7NOTTHERE";
  await aws.refuse("GetCallerIdentity", { code: "InvalidClientTokenId", status: 403, message: "", accessKeyId });
  const { successful, message } = await context.outcome(
    await requestCredentials(context, { accessKeyId, secretAccessKey: "x".repeat(40) }),
  );
  expect([successful, message]).toEqual([false, expect.stringMatching(/^AWS does not accept/)]);
  expect(await providerOf()).toMatchObject({ credentials, nextCredentials: null });
});

it("ends when no worker uses the old credentials any more", async () => {
  const id = await requestCredentials(context, await createKey(), { settleSeconds: 3600 });
  await runRequest(context.engine, id);
  expect(await context.db.request.findUniqueOrThrow({ where: { id } })).toMatchObject({
    finishedAt: null,
    stage: "end-old-sessions",
    waitingFor: "every worker to use the new credentials",
  });
  const replaced = new Date(Date.now() - 3_600_000);
  const where = { id: context.customer.provider.id };
  await context.db.provider.update({ where, data: { credentialsReplacedAt: replaced } });
  expect(await context.outcome(id)).toMatchObject({ successful: true });
});
