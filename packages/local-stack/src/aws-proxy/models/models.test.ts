import { CreateSubnetCommand, DescribeVpcsCommand, RunInstancesCommand } from "@aws-sdk/client-ec2";
import { CreateRoleCommand } from "@aws-sdk/client-iam";
import { startAwsProxy } from "../../components/aws-proxy.js";
import { emulatorHome } from "../../components/emulator.js";
import { awsClients, cache, environment, SERVICE_VERSIONS, sendRaw, startAws, temporaryFolder } from "../../testing.js";
import type { AwsAccount } from "../accounts.js";
import { compilePattern } from "./patterns.js";
import { ServiceModels } from "./service-model.js";

let aws: Awaited<ReturnType<typeof startAws>>;
let account: AwsAccount;

beforeAll(async () => {
  aws = await startAws();
});
afterAll(() => aws.stop());
beforeEach(async () => {
  account = await aws.control.createAccount();
});

const send = (service: string, action: string, params: object, endpoint = aws.endpoint) =>
  sendRaw(endpoint, account, { service, action, params });

const takeProblems = async () =>
  (await aws.control.takeViolations({ accountId: account.accountId })).flatMap(({ problems }) => problems);

const volume = { AvailabilityZone: "us-east-1a", Size: "10" };
const group = { AutoScalingGroupName: "group", MinSize: "1", MaxSize: "1" };
const role = { RoleName: "role", AssumeRolePolicyDocument: "{}" };
const session = { RoleArn: "arn:aws:iam::123456789012:role/gantry", RoleSessionName: "gantry" };

it.each([
  ["ec2", "CreateVolume", { ...volume, Colour: "red" }, "UnknownParameter", "Colour"],
  ["ec2", "CreateVolume", { ...volume, VolumeType: "gp9" }, "InvalidParameterValue", "VolumeType"],
  ["ec2", "CreateVolume", { ...volume, Size: "many" }, "InvalidParameterValue", "Size"],
  ["ec2", "CreateVolume", { ...volume, Encrypted: "yes" }, "InvalidParameterValue", "Encrypted"],
  [
    "ec2",
    "CreateVolume",
    { ...volume, "TagSpecification.2.ResourceType": "volume" },
    "InvalidParameterValue",
    "TagSpecifications",
  ],
  [
    "ec2",
    "CreateVolume",
    { ...volume, "TagSpecification.1.Tag.1.Kee": "a" },
    "UnknownParameter",
    "TagSpecifications[0].Tags[0].Kee",
  ],
  ["ec2", "CreateVolume", { ...volume, "Tag.1.Key": "a" }, "UnknownParameter", "Tag"],
  ["ec2", "CreateVolume", { ...volume, Version: "2014-10-31" }, "InvalidAction", "Version"],
  ["ec2", "CreateSubnet", { CidrBlock: "10.0.0.0/24" }, "MissingParameter", "VpcId"],
  ["ec2", "DescribeVpcs", { MaxResults: "4" }, "InvalidParameterValue", "MaxResults"],
  ["ec2", "MakeVpc", {}, "InvalidAction", ""],
  [
    "rds",
    "CreateDBInstance",
    { Engine: "postgres", DBInstanceClass: "db.t3.micro" },
    "MissingParameter",
    "DBInstanceIdentifier",
  ],
  ["rds", "DescribeDBInstances", { MaxRecords: "a hundred" }, "InvalidParameterValue", "MaxRecords"],
  ["rds", "DescribeDBInstances", { "Filters.member.1.Name": "engine" }, "InvalidParameterValue", "Filters"],
  ["iam", "CreateRole", { ...role, RoleName: "r".repeat(65) }, "ValidationError", "RoleName"],
  ["iam", "CreateRole", { ...role, RoleName: "a role" }, "ValidationError", "RoleName"],
  ["iam", "CreateRole", { ...role, AssumeRolePolicyDocument: "" }, "ValidationError", "AssumeRolePolicyDocument"],
  ["iam", "CreateRole", { ...role, Description: "\u0000" }, "ValidationError", "Description"],
  ["iam", "CreateRole", { ...role, "Tags.1.Key": "a" }, "ValidationError", "Tags"],
  ["iam", "ListRoles", { MaxItems: "1001" }, "ValidationError", "MaxItems"],
  ["autoscaling", "CreateAutoScalingGroup", { AutoScalingGroupName: "group" }, "ValidationError", "MinSize"],
  ["autoscaling", "CreateAutoScalingGroup", { ...group, "Tags.member.1.Value": "a" }, "ValidationError", "Tags[0].Key"],
  ["sts", "AssumeRole", { ...session, DurationSeconds: "60" }, "ValidationError", "DurationSeconds"],
  ["sts", "AssumeRole", { ...session, RoleSessionName: "a/b" }, "ValidationError", "RoleSessionName"],
  ["ssm", "AmazonSSM.GetParameter", { Name: "/a", Colour: "red" }, "ValidationException", "Colour"],
  ["ssm", "AmazonSSM.GetParameter", { Name: 5 }, "SerializationException", "Name"],
  ["ssm", "AmazonSSM.GetParameter", {}, "ValidationException", "Name"],
  ["ssm", "AmazonSSM.GetParameters", { Names: [] }, "ValidationException", "Names"],
  ["ssm", "AmazonSSM.PutParameter", { Name: "/a", Value: "b", Type: "Text" }, "ValidationException", "Type"],
  ["ssm", "AmazonSSM.MakeParameter", {}, "UnknownOperationException", ""],
  ["ssm", "Systems.GetParameter", { Name: "/a" }, "UnknownOperationException", ""],
  [
    "servicequotas",
    "ServiceQuotasV20190624.GetServiceQuota",
    { ServiceCode: "vpc" },
    "ValidationException",
    "QuotaCode",
  ],
  ["nothing", "Nothing.Get", {}, "UnknownOperationException", ""],
])("refuses and records %s %s %j as %s of %s", async (service, action, params, code, path) => {
  const answer = await send(service, action, params);
  expect(answer).toMatchObject({ status: 400, code });
  expect((await takeProblems()).map((problem) => problem.path)).toContain(path);
});

it("refuses wrong calls of the SDK", async () => {
  const { ec2, iam } = awsClients(aws.endpoint, account);
  const run = new RunInstancesCommand({ InstanceType: "t9.huge" as "t3.micro", MinCount: 1, MaxCount: 1 });
  await expect(ec2.send(run)).rejects.toMatchObject({ Code: "InvalidParameterValue" });
  const subnet = new CreateSubnetCommand({ VpcId: undefined, CidrBlock: "10.0.0.0/24" });
  await expect(ec2.send(subnet)).rejects.toMatchObject({ Code: "MissingParameter" });
  const create = new CreateRoleCommand({ ...role, MaxSessionDuration: 60 });
  await expect(iam.send(create)).rejects.toMatchObject({
    name: "ValidationError",
    message:
      "1 validation error detected: Value '60' at 'MaxSessionDuration' failed to satisfy constraint: Member must have value greater than or equal to 3600",
  });
  expect(await takeProblems()).toHaveLength(3);
});

it("records every problem of a call, without secrets", async () => {
  const params = { DBInstanceIdentifier: "a", Engine: "postgres", "MasterUserPassword.1": "secret", Colour: "red" };
  await send("rds", "CreateDBInstance", params);
  expect(await aws.control.takeViolations({ accountId: account.accountId })).toEqual([
    {
      accountId: account.accountId,
      service: "rds",
      action: "CreateDBInstance",
      problems: [
        { kind: "unknown", path: "Colour", reason: "is not in the model" },
        { kind: "missing", path: "DBInstanceClass", reason: "must not be null" },
        { kind: "type", path: "MasterUserPassword", reason: "must be a string", value: "(removed)" },
      ],
    },
  ]);
});

it("accepts and records nothing of a call that its model allows", async () => {
  await awsClients(aws.endpoint, account).ec2.send(new DescribeVpcsCommand({ MaxResults: 5 }));
  expect(await takeProblems()).toEqual([]);
});

it("checks every pattern of the services in use", async () => {
  const models = new ServiceModels(emulatorHome(cache));
  const services = [...Object.keys(SERVICE_VERSIONS), "kms", "servicequotas", "ssm"];
  const shapes = await Promise.all(services.map(async (name) => Object.values((await models.of(name))?.shapes ?? {})));
  const patterns = [...new Set(shapes.flat().flatMap(({ pattern }) => pattern ?? []))];
  expect(patterns.length).toBeGreaterThan(100);
  expect(patterns.filter((pattern) => !compilePattern(pattern))).toEqual([]);
  expect(compilePattern("a*+")).toBeUndefined();
});

it("makes the stop of the proxy fail after a violation, also if its caller ignored the error", async () => {
  const { url } = (await (await fetch(new URL("/__gantry/emulator", aws.endpoint))).json()) as { url: string };
  const { folder, clear } = temporaryFolder();
  const options = { folder, environment, upstream: url, emulatorHome: emulatorHome(cache) };
  const proxy = await startAwsProxy(options);
  await send("ec2", "DescribeVpcs", { Colour: "red" }, proxy.url);
  await expect(proxy.stop()).rejects.toThrow(
    "1 calls violate AWS's models of its services:\n  ec2 DescribeVpcs Colour is not in the model",
  );
  clear();
});

it("refuses every call if the models are missing", async () => {
  const { url } = (await (await fetch(new URL("/__gantry/emulator", aws.endpoint))).json()) as { url: string };
  const { folder, clear } = temporaryFolder();
  const proxy = await startAwsProxy({ folder, environment, upstream: url, emulatorHome: folder });
  const answer = await send("ec2", "DescribeVpcs", {}, proxy.url);
  expect(answer.status).toBe(400);
  await expect(proxy.stop()).rejects.toThrow(/could not be validated/);
  clear();
});
