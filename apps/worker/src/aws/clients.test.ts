import { CreateVpcCommand, DescribeVpcsCommand } from "@aws-sdk/client-ec2";
import { aws, createTestAccount, REGION } from "@gantry/test/support/account";
import { fakeWorkflow, type TestEngine, testEngine } from "@gantry/test/support/engine";
import { FakeCloud } from "@gantry/test/support/fake-cloud";
import { cloneDatabase, type TestDatabase, testEnv } from "@gantry/test/support/stack";
import { requestNetwork } from "@gantry/test/support/work";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Engine } from "../engine/engine.js";
import { runRequest } from "../engine/run.js";
import { duringChange } from "../engine/with-lease.js";
import { classifyAwsError } from "./aws-errors.js";
import { type Aws, awsOpener } from "./clients.js";

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
