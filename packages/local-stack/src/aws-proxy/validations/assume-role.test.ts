import { CreateRoleCommand } from "@aws-sdk/client-iam";
import { awsClients, sendRaw, startAws } from "../../testing.js";
import type { AwsAccount } from "../accounts.js";

let aws: Awaited<ReturnType<typeof startAws>>;
/** The account with the roles, the one that they trust, and another one. */
let owner: AwsAccount;
let trusted: AwsAccount;
let stranger: AwsAccount;

beforeAll(async () => {
  aws = await startAws();
  [owner, trusted, stranger] = await Promise.all([
    aws.control.createAccount(),
    aws.control.createAccount(),
    aws.control.createAccount(),
  ]);
});
afterAll(() => aws.stop());

let count = 0;

/** Creates a role with the statements of its trust policy, and returns its ARN. */
async function createRole(...statements: object[]): Promise<string> {
  const Statement = statements.map((statement) => ({ Effect: "Allow", Action: "sts:AssumeRole", ...statement }));
  const AssumeRolePolicyDocument = JSON.stringify({ Version: "2012-10-17", Statement });
  const { iam } = awsClients(aws.endpoint, owner);
  const { Role } = await iam.send(new CreateRoleCommand({ RoleName: `role-${++count}`, AssumeRolePolicyDocument }));
  return Role?.Arn ?? "";
}

const assume = (caller: Pick<AwsAccount, "accessKeyId">, RoleArn: string, ExternalId?: string) =>
  sendRaw(aws.endpoint, caller, {
    ...{ service: "sts", action: "AssumeRole" },
    params: { RoleArn, RoleSessionName: "gantry", ...(ExternalId && { ExternalId }) },
  });

const denied = { status: 403, code: "AccessDenied" };
const principal = () => ({ AWS: `arn:aws:iam::${trusted.accountId}:root` });
const externalId = (value: string | string[]) => ({ StringEquals: { "sts:ExternalId": value } });

it("refuses a role to a caller that its trust policy does not name", async () => {
  const role = await createRole({ Principal: principal() });
  expect(await assume(trusted, role)).toMatchObject({ status: 200 });
  const answer = await assume(stranger, role);
  expect(answer).toMatchObject(denied);
  expect(answer.text).toContain(
    `User: arn:aws:iam::${stranger.accountId}:user/gantry is not authorized to perform: sts:AssumeRole on resource: ${role}`,
  );
});

it("denies a role that requires an external id without it or with another one", async () => {
  const role = await createRole({ Principal: principal(), Condition: externalId("shop-1") });
  expect(await assume(trusted, role, "shop-1")).toMatchObject({ status: 200 });
  expect(await assume(trusted, role)).toMatchObject(denied);
  expect(await assume(trusted, role, "shop-2")).toMatchObject(denied);
});

it("accepts every external id of a list, and refuses a denied one", async () => {
  const either = { Principal: principal(), Condition: externalId(["shop-1", "shop-2"]) };
  const role = await createRole(either, { ...either, Effect: "Deny", Condition: externalId("shop-2") });
  expect(await assume(trusted, role, "shop-1")).toMatchObject({ status: 200 });
  expect(await assume(trusted, role, "shop-2")).toMatchObject(denied);
});

it("accepts a session of a role, if the trust policy names the role", async () => {
  const middle = await createRole({ Principal: principal() });
  const role = await createRole({ Principal: { AWS: middle } });
  const accessKeyId = /<AccessKeyId>(.*)<\/AccessKeyId>/.exec((await assume(trusted, middle)).text)?.[1] ?? "";
  expect(await assume({ accessKeyId }, role)).toMatchObject({ status: 200 });
  expect(await assume(trusted, role)).toMatchObject(denied);
});

it("refuses a role that does not exist, and one of a service", async () => {
  expect(await assume(trusted, `arn:aws:iam::${owner.accountId}:role/nothing`)).toMatchObject(denied);
  const role = await createRole({ Principal: { Service: "ec2.amazonaws.com" } });
  expect(await assume(trusted, role)).toMatchObject(denied);
});

it("fails for a condition that it cannot evaluate", async () => {
  const Condition = { Bool: { "aws:MultiFactorAuthPresent": "true" } };
  const answer = await assume(trusted, await createRole({ Principal: principal(), Condition }));
  expect(answer).toMatchObject({ status: 500, code: "InternalFailure" });
  expect(answer.text).toContain("cannot evaluate the condition Bool of aws:MultiFactorAuthPresent");
});
