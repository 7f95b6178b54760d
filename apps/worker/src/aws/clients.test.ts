import { CreateVpcCommand, DescribeVpcsCommand } from "@aws-sdk/client-ec2";
import { aws, createTestAccount, REGION } from "@gantry/test/support/account";
import { fakeWorkflow, type TestEngine, testEngine } from "@gantry/test/support/engine";
import { FakeCloud } from "@gantry/test/support/fake-cloud";
import { cloneDatabase, type TestDatabase, testEnv } from "@gantry/test/support/stack";
import { requestNetwork } from "@gantry/test/support/work";
import type { Engine } from "../engine/engine.js";
import { runRequest } from "../engine/run.js";
import { CreateCalls, duringChange, withLease } from "../engine/with-lease.js";
import { classifyAwsError } from "./aws-errors.js";
import { type Aws, awsOpener } from "./clients.js";
import { RateLimited } from "./rate-limit/rate-limited-client.js";

let database: TestDatabase;
beforeAll(async () => {
  database = await cloneDatabase();
});
afterAll(() => database.drop());

it.each<[string, number, (aws: Aws) => Promise<unknown>]>([
  ["CreateVpc", 1, ({ ec2 }) => ec2.send(new CreateVpcCommand({ CidrBlock: "10.0.0.0/16" }))],
  ["DescribeVpcs", 2, ({ ec2 }) => ec2.send(new DescribeVpcsCommand({ MaxResults: 5 }))],
])(
  "sends %s %i time(s) when its worker loses the lease between two attempts of the SDK",
  async (action, sent, send) => {
    const { accountId, provider, awsAccount } = await createTestAccount(database.db, testEnv(database));
    const { requestId } = await requestNetwork(database.db, { accountId, provider });
    let attempts = 0;
    const cloud = awsOpener(10)(REGION, awsAccount, async () => {
      attempts += 1;
      if (attempts === 2) await replaceWorker(engine, requestId);
      return 0;
    });
    const workflow = fakeWorkflow({
      type: "provision_network",
      stages: {
        create: async ({ cloud: at }) => void (await at({ providerId: 1, region: REGION }).call(() => send(cloud))),
      },
      discard: async () => {},
    });
    const workflows = new Map([["provision_network", workflow]]) as Engine<FakeCloud>["workflows"];
    const engine = testEngine(database, new FakeCloud(), { workflows, classify: classifyAwsError });
    const scope = { accessKeyId: awsAccount.accessKeyId };
    await aws.reset(action, { times: 1, ...scope });

    await runRequest(engine, requestId);

    expect(attempts).toBe(2);
    expect(await aws.calls({ action, ...scope })).toHaveLength(sent);
  },
);

/** Transfers a Request to another worker, and waits until the first one notices the lost lease. */
async function replaceWorker(engine: TestEngine, requestId: string): Promise<void> {
  await database.db.request.update({ where: { id: requestId }, data: { fence: { increment: 1 } } });
  const { callSeconds } = engine;
  // A lease with too little left for a call is renewed first.
  engine.callSeconds = engine.leaseSeconds;
  await expect(duringChange(async () => {})).rejects.toThrow("the lease ran out");
  engine.callSeconds = callSeconds;
}

type Scope = { accessKeyId: string };
const refuse = (scope: Scope) => aws.refuse("CreateVpc", { ...scope, code: "VpcLimitExceeded" });
const throttle = (scope: Scope) => aws.refuse("CreateVpc", { ...scope, code: "RequestLimitExceeded", status: 503 });
const fail = (scope: Scope) => aws.refuse("CreateVpc", { ...scope, code: "InternalError", status: 500 });
const timeOut = (scope: Scope) => aws.refuse("CreateVpc", { ...scope, code: "RequestTimeout", status: 408 });
const loseFirst = (scope: Scope) => aws.loseResponse("CreateVpc", { ...scope, times: 1 });
const reset = (scope: Scope) => aws.reset("CreateVpc", scope);
const holdBack = async () => {
  throw new RateLimited(5);
};

// Each attempt of the SDK has a step: it happens before the attempt is sent.
it.each<[string, boolean, ...((scope: Scope) => Promise<unknown>)[]]>([
  ["was held back by AWS's rates", false, holdBack],
  ["was refused", false, refuse],
  ["was throttled", false, throttle],
  ["was throttled and then held back by AWS's rates", false, throttle, holdBack],
  ["met an internal error", true, fail],
  ["timed out on its way", true, timeOut],
  ["was cut off", true, reset],
  ["lost its response and was then refused", true, loseFirst, refuse],
  ["lost its response and was then held back by AWS's rates", true, loseFirst, holdBack],
])("knows whether a create that %s may have made an object: %s", async (_what, expected, ...steps) => {
  const awsAccount = await aws.createAccount();
  const { accessKeyId } = awsAccount;
  const { ec2 } = awsOpener(10)(REGION, awsAccount, async () => {
    await steps.shift()?.({ accessKeyId });
    return 0;
  });
  const calls = new CreateCalls({ duringChange: (change) => change(), countCall: () => {} });
  const create = new CreateVpcCommand({ CidrBlock: "10.0.0.0/16" });
  await withLease(calls, () => expect(ec2.send(create)).rejects.toThrow());
  expect(calls.mayHaveCreated).toBe(expected);
  await aws.clear({ accessKeyId });
});
