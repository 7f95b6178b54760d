import { randomUUID } from "node:crypto";
import { DescribeVpcsCommand } from "@aws-sdk/client-ec2";
import { CreateRoleCommand } from "@aws-sdk/client-iam";
import { GetCallerIdentityCommand } from "@aws-sdk/client-sts";
import { aws as control } from "@gantry/test/support/account";
import { setWorkerIdentity } from "@gantry/test/support/worker-identity";
import { classifyAwsError } from "../aws-errors.js";
import { type Aws, awsOpener } from "../clients.js";

let roleArn: string;
let accountId: string;
let worker: { accessKeyId: string; secretAccessKey: string };

beforeEach(async () => {
  const customer = await control.createAccount();
  const { accountId: workerAccountId, ...keys } = await control.createAccount();
  accountId = customer.accountId;
  worker = keys;
  roleArn = `arn:aws:iam::${accountId}:role/gantry`;
  const Condition = { StringEquals: { "sts:ExternalId": "external" } };
  const Principal = { AWS: `arn:aws:iam::${workerAccountId}:root` };
  const statement = { Effect: "Allow", Action: "sts:AssumeRole", Principal, Condition };
  const AssumeRolePolicyDocument = JSON.stringify({ Version: "2012-10-17", Statement: [statement] });
  const { iam } = awsOpener(10)("us-east-1", customer);
  await iam.send(new CreateRoleCommand({ RoleName: "gantry", AssumeRolePolicyDocument }));
  setWorkerIdentity(worker);
});

const sessionName = `gantry-${randomUUID()}`;
const opener = () => {
  const open = awsOpener(10);
  return (region: string) => open(region, { roleArn, externalId: "external", sessionName, stsRegion: "eu-central-1" });
};
const assumed = () => control.calls({ action: "AssumeRole", accessKeyId: worker.accessKeyId });
const describe = ({ ec2 }: Aws) => ec2.send(new DescribeVpcsCommand({}));
async function outcomeOf(call: Promise<unknown>) {
  return classifyAwsError(await call.then(undefined, (error) => error));
}

it("opens one session for all clients, client sets and regions of a role, under the account's name", async () => {
  const open = opener();
  const sets = ["us-east-1", "eu-west-1", "us-east-1"].map(open);
  await Promise.all(sets.map(({ sts }) => sts.send(new GetCallerIdentityCommand({}))));
  await Promise.all(sets.map(describe));
  await Promise.all(sets.map(({ noRetry }) => noRetry.ec2.send(new DescribeVpcsCommand({}))));
  const calls = await assumed();
  expect(calls).toHaveLength(1);
  expect(calls[0]?.region).toBe("eu-central-1");
  expect(calls[0]?.params).toMatchObject({ RoleArn: roleArn, RoleSessionName: sessionName, ExternalId: "external" });
});

it("limits the session of a role with full permissions to what Gantry needs", async () => {
  await describe(opener()("us-east-1"));
  const [call] = await assumed();
  const [statement] = JSON.parse(call?.params.Policy ?? "").Statement;
  expect(statement).toMatchObject({ Effect: "Allow", Action: expect.arrayContaining(["ec2:*", "rds:*"]) });
  expect(
    statement.Action.filter((action: string) => /^(\*|iam:\*|s3|sts|secretsmanager|organizations)/.test(action)),
  ).toEqual([]);
});

it("opens another session when AWS reports that one expired", async () => {
  const { sts, ec2 } = opener()("us-east-1");
  await sts.send(new GetCallerIdentityCommand({}));
  await control.refuse("DescribeVpcs", { code: "ExpiredToken", times: 1, accountId });
  expect(await outcomeOf(ec2.send(new DescribeVpcsCommand({})))).toMatchObject({ kind: "retry" });
  await ec2.send(new DescribeVpcsCommand({}));
  expect(await assumed()).toHaveLength(2);
});

it("names the trust policy and the external id if AWS does not let it assume the role", async () => {
  const message = `User: arn:aws:iam::1:user/x is not authorized to perform: sts:AssumeRole on resource: ${roleArn}`;
  await control.refuse("AssumeRole", { code: "AccessDenied", status: 403, message, accessKeyId: worker.accessKeyId });
  expect(await outcomeOf(describe(opener()("us-east-1")))).toMatchObject({
    kind: "retry",
    message: expect.stringMatching(/trust policy contains Gantry's identity and the account's external id/),
  });
});

it.each([
  ["has no identity", undefined],
  ["has an identity that AWS rejects", "InvalidClientTokenId"],
])("names Gantry's operator if the worker %s", async (_name, code) => {
  if (code) await control.refuse("AssumeRole", { code, status: 403, accessKeyId: worker.accessKeyId });
  else setWorkerIdentity(undefined);
  const outcome = await outcomeOf(describe(opener()("us-east-1")));
  expect(outcome).toMatchObject({
    kind: "retry",
    message: expect.stringContaining("Gantry's operator must configure them"),
  });
});
