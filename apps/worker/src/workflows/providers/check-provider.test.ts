import {
  AllocateAddressCommand,
  CreateVpcCommand,
  DeleteSubnetCommand,
  DeleteVpcCommand,
  DescribeSubnetsCommand,
  DescribeVpcsCommand,
  EnableEbsEncryptionByDefaultCommand,
} from "@aws-sdk/client-ec2";
import { CreateRoleCommand } from "@aws-sdk/client-iam";
import type { AwsAccount } from "@gantry/local-stack";
import { aws, createTestAccount, REGION, type TestAccount } from "@gantry/test/support/account";
import { testAwsEngine } from "@gantry/test/support/aws-engine";
import { type CallbackApi, startCallbackApi } from "@gantry/test/support/callbacks";
import { runAllToEnd } from "@gantry/test/support/engine";
import { cloneDatabase, type TestDatabase } from "@gantry/test/support/stack";
import { createRequestOf } from "@gantry/test/support/work";
import { setWorkerIdentity } from "@gantry/test/support/worker-identity";
import type { Check } from "../../aws/checks/check.js";
import { type Aws, awsOpener } from "../../aws/clients.js";

let database: TestDatabase;
let api: CallbackApi;
let customer: TestAccount;
let cloud: Aws;

beforeAll(async () => {
  database = await cloneDatabase();
  api = await startCallbackApi(database);
});
beforeEach(async () => {
  customer = await createTestAccount(database.db, api.env);
  cloud = awsOpener(10)(REGION, customer.awsAccount);
});
afterAll(async () => {
  await api.stop();
  await database.drop();
});

/** The report of a check, when its Request has ended successfully. */
async function reportOf({ regions = [REGION], env = api.env } = {}): Promise<Check[]> {
  const resource = { type: "provider", id: customer.provider.id } as const;
  const id = await createRequestOf(database.db, customer, "check_provider", resource, { regions });
  await runAllToEnd(testAwsEngine(database, env), customer.accountId);
  const { successful, message, report } = await database.db.request.findUniqueOrThrow({ where: { id } });
  expect([successful, message]).toEqual([true, null]);
  return (report as unknown as { checks: Check[] }).checks;
}

const line = (report: Check[], name: string) => report.find(({ check }) => check === name);
const notOk = (report: Check[]) => report.filter(({ result }) => result !== "ok").map(({ check }) => check);

/** Sets the provider's role: one in its AWS account that trusts the workers' one, which this process then acts as. */
async function useRole(condition?: object): Promise<void> {
  const worker: AwsAccount = await aws.createAccount();
  setWorkerIdentity(worker);
  const Principal = { AWS: `arn:aws:iam::${worker.accountId}:root` };
  const Statement = [
    { Effect: "Allow", Action: "sts:AssumeRole", Principal, ...(condition && { Condition: condition }) },
  ];
  const AssumeRolePolicyDocument = JSON.stringify({ Version: "2012-10-17", Statement });
  const { Role } = await cloud.iam.send(new CreateRoleCommand({ RoleName: "gantry", AssumeRolePolicyDocument }));
  const data = { roleArn: Role?.Arn ?? "", credentials: null };
  await database.db.provider.update({ where: { id: customer.provider.id }, data });
}

const demanded = () => ({ StringEquals: { "sts:ExternalId": customer.provider.externalId } });

it("finds no problem in a complete account, and changes nothing in it", async () => {
  await useRole(demanded());
  const before = await aws.inventory(customer.awsAccount);
  const report = await reportOf();
  expect(notOk(report)).toEqual([]);
  expect(report.map(({ check }) => check)).toEqual([
    ...["credentials", "clock", "external id"],
    ...["permissions of ec2", "permissions of autoscaling", "permissions of rds", "permissions of iam"],
    "dry runs of ec2",
    ...["quota of VPCs", "quota of elastic IPs", "quota of vCPUs of standard instances", "quota of RDS instances"],
    ...["region", "image for servers", "default VPC", "offer of t3.medium", "EBS encryption"],
    "reports of servers",
  ]);
  expect(await aws.inventory(customer.awsAccount)).toEqual(before);
});

it.each([
  ["none", undefined],
  ["any", { StringLike: { "sts:ExternalId": "*" } }],
])("reports that a role does not require the external id but %s", async (_name, condition) => {
  await useRole(condition);
  const report = await reportOf();
  expect(notOk(report)).toEqual(["external id"]);
  expect(line(report, "external id")).toMatchObject({
    result: "fails",
    who: "owner",
    remedy: expect.stringContaining(customer.provider.externalId),
  });
});

it("recommends a role instead of an access key, and reports only the credentials if AWS rejects them", async () => {
  expect(notOk(await reportOf())).toEqual(["external id"]);
  await useRole({ StringEquals: { "sts:ExternalId": "another" } });
  const report = await reportOf();
  expect(report.map(({ check, result }) => [check, result])).toEqual([
    ["credentials", "fails"],
    ["reports of servers", "ok"],
  ]);
});

it.each([
  ["ec2", "CreateVpc", "UnauthorizedOperation", "dry runs of ec2"],
  ["ec2", "DeleteVpc", "UnauthorizedOperation", "permissions of ec2"],
  ["rds", "CreateDBInstance", "AccessDenied", "permissions of rds"],
  ["iam", "PassRole", "AccessDenied", "permissions of iam"],
  ["autoscaling", "UpdateAutoScalingGroup", "AccessDenied", "permissions of autoscaling"],
])("names %s:%s if it is denied", async (service, action, code, name) => {
  await aws.refuse(action, { service, code, accountId: customer.awsAccount.accountId });
  const report = await reportOf();
  expect(notOk(report)).toEqual(["external id", name]);
  expect(line(report, name)).toMatchObject({ result: "fails", who: "owner" });
  expect(line(report, name)?.reason).toMatch(new RegExp(`1 of \\d+ actions are denied: ${service}:${action}$`));
});

it("reports what it could not check because the credentials lack permission", async () => {
  const { accountId } = customer.awsAccount;
  for (const action of ["SimulatePrincipalPolicy", "GetServiceQuota", "GetEbsEncryptionByDefault"]) {
    await aws.refuse(action, { code: "AccessDeniedException", accountId });
  }
  const report = await reportOf();
  const warnings = report.filter(({ result }) => result === "warning");
  expect(warnings.map(({ check }) => check)).toEqual([
    ...["external id", "policies"],
    ...["quota of VPCs", "quota of elastic IPs", "quota of vCPUs of standard instances", "quota of RDS instances"],
    "EBS encryption",
  ]);
  expect(warnings.slice(1).every(({ reason }) => reason.startsWith("This could not be checked"))).toBe(true);
  expect(report.some(({ result }) => result === "fails")).toBe(false);
});

it("counts what is used of the quotas", async () => {
  for (const n of [1, 2, 3, 4]) await cloud.ec2.send(new CreateVpcCommand({ CidrBlock: `10.${n}.0.0/16` }));
  for (const _n of [1, 2, 3, 4]) await cloud.ec2.send(new AllocateAddressCommand({ Domain: "vpc" }));
  const report = await reportOf();
  expect(line(report, "quota of VPCs")).toMatchObject({
    result: "fails",
    reason: "5 of 5 VPCs are used, but Gantry needs 1 more",
  });
  expect(line(report, "quota of elastic IPs")).toMatchObject({
    result: "warning",
    reason: "4 of 5 elastic IPs are used",
  });
});

it("reports a region without a default VPC", async () => {
  const { Subnets } = await cloud.ec2.send(new DescribeSubnetsCommand({}));
  for (const { SubnetId } of Subnets ?? []) await cloud.ec2.send(new DeleteSubnetCommand({ SubnetId }));
  const { Vpcs } = await cloud.ec2.send(new DescribeVpcsCommand({}));
  for (const { VpcId } of Vpcs ?? []) await cloud.ec2.send(new DeleteVpcCommand({ VpcId }));
  expect(line(await reportOf(), "default VPC")).toMatchObject({ result: "warning", who: "owner" });
});

it("reports an image that the region lacks", async () => {
  const env = { ...api.env, SERVER_IMAGE_PARAMETER: "/aws/service/none" };
  expect(line(await reportOf({ env }), "image for servers")).toMatchObject({ result: "fails", who: "operator" });
});

it("reports which key encrypts every volume of the account", async () => {
  await cloud.ec2.send(new EnableEbsEncryptionByDefaultCommand({}));
  const found = line(await reportOf(), "EBS encryption");
  expect(found).toMatchObject({ result: "ok", reason: expect.stringContaining("alias/aws/ebs") });
});

it.each([
  ["a warning", 120_000, "warning"],
  ["a failure", -600_000, "fails"],
])("reports a wrong clock as %s", async (_name, offsetMs, result) => {
  await aws.setClockOffset(offsetMs, { accountId: customer.awsAccount.accountId });
  expect(line(await reportOf(), "clock")).toMatchObject({ result, who: "operator" });
});

it.each([
  ["that AWS cannot reach", { AWS_ENDPOINT_URL: "" }, "fails", /points to the machine/],
  ["that does not answer", { BASE_URL: "http://127.0.0.1:1" }, "fails", /does not respond from the worker/],
  ["that servers do not use", { SERVER_REPORTS: "none" as const }, "warning", /SERVER_REPORTS=none/],
])("reports a BASE_URL %s", async (_name, changes, result, reason) => {
  const found = line(await reportOf({ env: { ...api.env, ...changes } }), "reports of servers");
  expect(found).toMatchObject({ result, reason: expect.stringMatching(reason) });
});

it("reports each region separately", async () => {
  const report = await reportOf({ regions: [REGION, "eu-central-1"] });
  const dryRuns = report.filter(({ check }) => check === "dry runs of ec2");
  expect(dryRuns.map(({ region }) => region)).toEqual([REGION, "eu-central-1"]);
});
