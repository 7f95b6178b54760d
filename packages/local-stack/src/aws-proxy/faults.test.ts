import { DescribeAccountLimitsCommand, DescribeAutoScalingGroupsCommand } from "@aws-sdk/client-auto-scaling";
import {
  CreateVpcCommand,
  DescribeAwsNetworkPerformanceMetricSubscriptionsCommand,
  DescribeVpcsCommand,
} from "@aws-sdk/client-ec2";
import { ListRolesCommand } from "@aws-sdk/client-iam";
import { DescribeDBInstancesCommand, DescribeSourceRegionsCommand } from "@aws-sdk/client-rds";
import { awsClients, startAws, until } from "../testing.js";
import type { AwsAccount } from "./accounts.js";

let aws: Awaited<ReturnType<typeof startAws>>;
let account: AwsAccount;
let scope: { accessKeyId: string };
let clients: ReturnType<typeof awsClients>;
const network = { CidrBlock: "10.0.0.0/16" };

beforeAll(async () => {
  aws = await startAws();
});
afterAll(() => aws.stop());
beforeEach(async () => {
  account = await aws.control.createAccount();
  scope = { accessKeyId: account.accessKeyId };
  clients = awsClients(aws.endpoint, account);
});

const createVpc = () => clients.ec2.send(new CreateVpcCommand(network));
const vpcs = async () => (await aws.control.inventory(account, { kinds: ["vpc"] })).vpc;
const outcomes = async () => (await aws.control.calls(scope)).map(({ outcome }) => outcome);

it("executes the call and loses the response", async () => {
  await aws.control.loseResponse("CreateVpc", { times: 1, ...scope });
  await expect(createVpc()).rejects.toThrow();
  expect(await vpcs()).toHaveLength(1);
  expect(await outcomes()).toEqual(["lost"]);
});

it("cuts the connection before the call is executed", async () => {
  await aws.control.reset("CreateVpc", { times: 1, ...scope });
  await expect(createVpc()).rejects.toThrow();
  expect(await vpcs()).toHaveLength(0);
  expect(await outcomes()).toEqual(["reset"]);
});

it("never responds to a hanging call until the caller aborts it", async () => {
  await aws.control.hang("CreateVpc", { times: 1, ...scope });
  const abort = new AbortController();
  const call = clients.ec2.send(new CreateVpcCommand(network), { abortSignal: abort.signal });
  const rejection = expect(call).rejects.toThrow();
  await until(async () => (await outcomes())[0] === "running");
  abort.abort();
  await rejection;
  await until(async () => (await outcomes())[0] === "hung");
  expect(await vpcs()).toHaveLength(0);
});

it("lets a hanging call go when its rule is removed", async () => {
  const id = await aws.control.hang("CreateVpc", scope);
  const call = createVpc();
  await until(async () => (await outcomes())[0] === "running");
  await aws.control.clear({ id });
  await expect(call).rejects.toThrow();
  expect(await vpcs()).toHaveLength(0);
});

it("delays the call", async () => {
  await aws.control.delay("CreateVpc", 150, { times: 1, ...scope });
  const before = performance.now();
  await createVpc();
  expect(performance.now() - before).toBeGreaterThanOrEqual(149);
});

it("rejects calls in each service's protocol, and only those of the given caller", async () => {
  await aws.control.refuse("*", { code: "SomethingWrong", status: 409, message: "Not <today>", ...scope });
  const refused = {
    Code: "SomethingWrong",
    message: "Not <today>",
    $metadata: expect.objectContaining({ httpStatusCode: 409 }),
  };
  const { ec2, iam, rds, autoScaling } = clients;
  await expect(ec2.send(new DescribeVpcsCommand({}))).rejects.toMatchObject(refused);
  await expect(iam.send(new ListRolesCommand({}))).rejects.toMatchObject(refused);
  await expect(rds.send(new DescribeDBInstancesCommand({}))).rejects.toMatchObject(refused);
  await expect(autoScaling.send(new DescribeAutoScalingGroupsCommand({}))).rejects.toMatchObject(refused);
  const other = awsClients(aws.endpoint, await aws.control.createAccount());
  await expect(other.ec2.send(new DescribeVpcsCommand({}))).resolves.toHaveProperty("Vpcs");
  await aws.control.clear(scope);
  await expect(ec2.send(new DescribeVpcsCommand({}))).resolves.toHaveProperty("Vpcs");
});

it("formats an error in the protocol of the service", async () => {
  await aws.control.refuse("*", { code: "Wrong", message: "No", ...scope });
  const send = async (service: string, headers: Record<string, string>, body: string) => {
    const authorization = `AWS4-HMAC-SHA256 Credential=${account.accessKeyId}/20260101/us-east-1/${service}/aws4_request`;
    const response = await fetch(aws.endpoint, { method: "POST", headers: { ...headers, authorization }, body });
    return response.text();
  };
  const error = "<Code>Wrong</Code><Message>No</Message>";
  const ec2 = await send("ec2", {}, "Action=DescribeVpcs&Version=2016-11-15");
  expect(ec2).toContain(`<Response><Errors><Error>${error}</Error></Errors>`);
  const query = await send("iam", {}, "Action=ListRoles&Version=2010-05-08");
  expect(query).toMatch(/^<ErrorResponse xmlns="https:\/\/iam\.amazonaws\.com/);
  expect(query).toContain(`<Error><Type>Sender</Type>${error}</Error>`);
  const json = await send("ssm", { "x-amz-target": "AmazonSSM.ListCommands" }, "{}");
  expect(JSON.parse(json)).toEqual({ __type: "Wrong", message: "No" });
});

it("keeps the rules of other callers when those of one caller are cleared", async () => {
  const other = await aws.control.createAccount();
  await aws.control.refuse("CreateVpc", { code: "Kept", ...scope });
  await aws.control.clear({ accessKeyId: other.accessKeyId });
  await expect(createVpc()).rejects.toThrow();
});

it("rejects an operation that the emulator lacks as an invalid action", async () => {
  const { ec2, rds, autoScaling } = clients;
  const unknown = { Code: "InvalidAction", $metadata: expect.objectContaining({ httpStatusCode: 400 }) };
  const missing = new DescribeAwsNetworkPerformanceMetricSubscriptionsCommand({});
  await expect(ec2.send(missing)).rejects.toMatchObject(unknown);
  await expect(rds.send(new DescribeSourceRegionsCommand({}))).rejects.toMatchObject(unknown);
  await expect(autoScaling.send(new DescribeAccountLimitsCommand({}))).rejects.toMatchObject(unknown);
});

it("hits the same calls in every run of one seed", async () => {
  const run = async () => {
    await aws.control.refuse("DescribeVpcs", { code: "InjectedError", probability: 0.5, seed: 7, ...scope });
    const hits: boolean[] = [];
    for (let n = 0; n < 20; n += 1) {
      hits.push(
        await clients.ec2.send(new DescribeVpcsCommand({})).then(
          () => false,
          () => true,
        ),
      );
    }
    await aws.control.clear(scope);
    return hits;
  };
  const first = await run();
  expect(first).toContain(true);
  expect(first).toContain(false);
  expect(await run()).toEqual(first);
});

it("fails only the nth call before its execution, in all its attempts", async () => {
  const retrying = awsClients(aws.endpoint, account, 3).ec2;
  await aws.control.reset("CreateVpc", { nth: 2, ...scope });
  await retrying.send(new CreateVpcCommand(network));
  await expect(retrying.send(new CreateVpcCommand(network))).rejects.toThrow();
  await retrying.send(new CreateVpcCommand(network));
  expect(await vpcs()).toHaveLength(2);
  expect(await outcomes()).toEqual(["answered", "reset", "reset", "reset", "answered"]);
});

it("fails the nth call after its execution, and executes it once even if the SDK retries it", async () => {
  const retrying = awsClients(aws.endpoint, account, 3).ec2;
  await aws.control.loseResponse("*", { nth: 1, ...scope });
  await expect(retrying.send(new CreateVpcCommand(network))).rejects.toThrow();
  expect(await vpcs()).toHaveLength(1);
  expect(await outcomes()).toEqual(["lost", "reset", "reset"]);
});

it("hides a new object from a search by tag, and shows it later", async () => {
  const rule = await aws.control.delayVisibility("DescribeVpcs", 60_000, scope);
  const tag = { Key: "gantry:token", Value: "late" };
  const TagSpecifications = [{ ResourceType: "vpc" as const, Tags: [tag] }];
  const { Vpc } = await clients.ec2.send(new CreateVpcCommand({ ...network, TagSpecifications }));
  const search = new DescribeVpcsCommand({ Filters: [{ Name: `tag:${tag.Key}`, Values: [tag.Value] }] });
  const found = async () => (await clients.ec2.send(search)).Vpcs?.map(({ VpcId }) => VpcId);
  expect(await found()).toEqual([]);
  await aws.control.clear({ id: rule });
  expect(await found()).toEqual([Vpc?.VpcId]);
});

it("throttles calls above the rate with each service's error", async () => {
  await aws.control.throttle("*", { ratePerSecond: 0.001, burst: 1, service: "ec2", ...scope });
  await aws.control.throttle("*", { ratePerSecond: 0.001, burst: 0, service: "iam", ...scope });
  await clients.ec2.send(new DescribeVpcsCommand({}));
  const status = (httpStatusCode: number) => ({ $metadata: expect.objectContaining({ httpStatusCode }) });
  const tooMany = { Code: "RequestLimitExceeded", ...status(503) };
  await expect(clients.ec2.send(new DescribeVpcsCommand({}))).rejects.toMatchObject(tooMany);
  await expect(clients.iam.send(new ListRolesCommand({}))).rejects.toMatchObject({
    Code: "Throttling",
    ...status(400),
  });
});

it("logs the caller, the action and the outcome of a call without its secrets", async () => {
  clients.ec2.middlewareStack.add(
    (next) => (args) => {
      (args.request as { headers: Record<string, string> }).headers.traceparent = "00-trace-span-01";
      return next(args);
    },
    { step: "build" },
  );
  await createVpc();
  await expect(clients.rds.send(new DescribeDBInstancesCommand({ DBInstanceIdentifier: "none" }))).rejects.toThrow();
  const [first, second] = await aws.control.calls(scope);
  expect(first).toMatchObject({
    ...{ service: "ec2", action: "CreateVpc", region: "us-east-1", status: 200, outcome: "answered" },
    ...{ accountId: account.accountId, trace: "00-trace-span-01", attempt: "attempt=1; max=1" },
    params: { CidrBlock: "10.0.0.0/16" },
  });
  expect(second).toMatchObject({ action: "DescribeDBInstances", status: 404, errorCode: "DBInstanceNotFound" });
  const since = await aws.control.calls({ ...scope, since: first?.seq });
  expect(since).toEqual([second]);
});

it("finds no object in a new account, and then the created ones", async () => {
  const before = await aws.control.inventory(account);
  expect(Object.values(before).flat()).toEqual([]);
  const TagSpecifications = [{ ResourceType: "vpc" as const, Tags: [{ Key: "Name", Value: "blue" }] }];
  const { Vpc } = await clients.ec2.send(new CreateVpcCommand({ ...network, TagSpecifications }));
  const after = await aws.control.inventory(account);
  expect(Object.values(after).flat()).toEqual([{ id: Vpc?.VpcId, tags: { Name: "blue" } }]);
});
