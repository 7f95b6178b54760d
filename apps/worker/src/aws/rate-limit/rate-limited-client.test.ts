import { DescribeVpcsCommand } from "@aws-sdk/client-ec2";
import { aws, createTestAccount, REGION } from "@gantry/test/support/account";
import { fakeWorkflow, testEngine } from "@gantry/test/support/engine";
import { FakeCloud } from "@gantry/test/support/fake-cloud";
import { cloneDatabase, type TestDatabase, testEnv } from "@gantry/test/support/stack";
import { requestNetwork } from "@gantry/test/support/work";
import type { Engine } from "../../engine/engine.js";
import { runRequest } from "../../engine/run.js";
import { classifyAwsError } from "../aws-errors.js";
import { awsOpener } from "../clients.js";
import { RateLimited } from "./rate-limited-client.js";

let database: TestDatabase;
beforeAll(async () => {
  database = await cloneDatabase();
});
afterAll(() => database.drop());

const describeVpcs = new DescribeVpcsCommand({ Filters: [{ Name: "vpc-id", Values: ["vpc-1"] }] });

it("acquires a token for each attempt of the SDK, in all clients", async () => {
  const account = await aws.createAccount();
  const acquired: string[] = [];
  const cloud = awsOpener(10)(REGION, account, async ({ bucket }, _call, priority) => {
    acquired.push(`${bucket} ${priority}`);
    return 0;
  });
  const scope = { accessKeyId: account.accessKeyId };
  await aws.reset("DescribeVpcs", { times: 2, ...scope });
  await cloud.ec2.send(describeVpcs);
  await cloud.noRetry.ec2.send(describeVpcs);
  await cloud.background.ec2.send(describeVpcs);
  expect(acquired).toEqual([...Array(4).fill("EC2:DescribeVpcs normal"), "EC2:DescribeVpcs background"]);
  expect(await aws.calls(scope)).toHaveLength(5);
});

it("sends no call that is rate limited, and its Request sleeps until the call may be sent without counting an attempt", async () => {
  const { accountId, provider, awsAccount } = await createTestAccount(database.db, testEnv(database));
  const cloud = awsOpener(10)(REGION, awsAccount, async () => {
    throw new RateLimited(300);
  });
  const workflow = fakeWorkflow({
    type: "provision_network",
    stages: { create: async () => void (await cloud.ec2.send(describeVpcs)) },
    discard: async () => {},
  });
  const workflows = new Map([["provision_network", workflow]]) as Engine<FakeCloud>["workflows"];
  const { requestId } = await requestNetwork(database.db, { accountId, provider });
  const engine = testEngine(database, new FakeCloud(), { workflows, classify: classifyAwsError });
  for (let run = 0; run < 10; run++) {
    await database.db.$executeRaw`UPDATE requests SET next_run_at = now() WHERE id = ${requestId}::uuid`;
    await runRequest(engine, requestId);
  }
  const request = await database.db.request.findUniqueOrThrow({ where: { id: requestId } });
  expect(request).toMatchObject({
    stageAttempts: 0,
    leaseUntil: null,
    finishedAt: null,
    waitingFor: "a free slot for calls to AWS",
  });
  expect(request.nextRunAt.getTime() - request.updatedAt.getTime()).toBeGreaterThan(290_000);
  expect(await aws.calls({ accountId: awsAccount.accountId })).toEqual([]);
});
