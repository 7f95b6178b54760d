import { StopInstancesCommand, TerminateInstancesCommand } from "@aws-sdk/client-ec2";
import type { Request } from "@gantry/db";
import type { InputOf } from "@gantry/resources";
import { aws, createTestAccount, REGION, type TestAccount } from "@gantry/test/support/account";
import { createServer } from "@gantry/test/support/api";
import { testAwsEngine } from "@gantry/test/support/aws-engine";
import { interceptor } from "@gantry/test/support/aws-interceptor";
import { runAllToEnd, wakeUp } from "@gantry/test/support/engine";
import { createProvisionedEnvironment } from "@gantry/test/support/firewall";
import { launchInstance } from "@gantry/test/support/instance";
import { cloneDatabase, type TestDatabase, testEnv } from "@gantry/test/support/stack";
import { createRequestOf } from "@gantry/test/support/work";
import { type Aws, awsOpener } from "../../aws/clients.js";
import { describeInstance } from "../../aws/ec2/describe-instance.js";
import type { Engine } from "../../engine/engine.js";
import { runRequest } from "../../engine/run.js";

let database: TestDatabase;
let engine: Engine<Aws>;
let customer: TestAccount;
let cloud: Aws;
let id: number;
let instanceId: string;

beforeAll(async () => {
  database = await cloneDatabase();
  engine = testAwsEngine(database, testEnv(database));
});
beforeEach(async () => {
  const { db } = database;
  customer = await createTestAccount(db, testEnv(database));
  cloud = awsOpener(10)(REGION, customer.awsAccount);
  instanceId = await launchInstance(customer);
  const { flavor } = (await instance()) ?? { flavor: "" };
  const row = { provisionedId: instanceId, state: "running", flavor };
  ({ id } = await createServer(db, await createProvisionedEnvironment(db, customer), row));
  former = flavor;
});
afterAll(() => database.drop());

let former: string;
const wanted = "m3.large";

const instance = () => describeInstance(instanceId)(cloud);
const serverRow = () => database.db.server.findUniqueOrThrow({ where: { id } });

function modify(input: Partial<InputOf<"modify_server">> = {}): Promise<string> {
  const all = { flavor: wanted, apply: "now", ...input } as const;
  return createRequestOf(database.db, customer, "modify_server", { type: "server", id }, all);
}

function update(action: "start" | "stop"): Promise<string> {
  return createRequestOf(database.db, customer, "instance_update", { type: "server", id }, { action });
}

async function ended(requestId: string): Promise<Request> {
  await runAllToEnd(engine, customer.accountId);
  return database.db.request.findUniqueOrThrow({ where: { id: requestId } });
}

/** Asserts the flavor and the state of the server, in AWS and on record. */
async function expectServer(flavor: string, state: string, pendingFlavor: string | null = null) {
  expect(await instance()).toMatchObject({ flavor, state });
  expect(await serverRow()).toMatchObject({ flavor, state, pendingFlavor });
}

const stopInAws = () => cloud.ec2.send(new StopInstancesCommand({ InstanceIds: [instanceId] }));
const refuse = (action: string, code: string, times?: number) =>
  aws.refuse(action, { code, ...(times && { times }), accessKeyId: customer.awsAccount.accessKeyId });
const messagesOf = async (requestId: string) =>
  (await database.db.requestMessage.findMany({ where: { requestId } })).map(({ message }) => message);

it("leaves a stopped server stopped", async () => {
  await stopInAws();
  expect(await ended(await modify())).toMatchObject({ successful: true, message: null });
  await expectServer(wanted, "stopped");
});

it("records a flavor that the instance has already, without a stop", async () => {
  await ended(await modify());
  await database.db.server.update({ where: { id }, data: { flavor: former } });
  const { accountId } = customer.awsAccount;
  const before = (await aws.calls({ accountId, action: "StopInstances" })).length;
  expect(await ended(await modify())).toMatchObject({ successful: true });
  await expectServer(wanted, "running");
  expect((await aws.calls({ accountId, action: "StopInstances" })).length).toBe(before);
});

describe("returns to the former flavor and starts again", () => {
  it("if AWS refuses the new one", async () => {
    await refuse("ModifyInstanceAttribute", "InvalidInstanceAttributeValue", 1);
    const requestId = await modify();
    const message = `AWS refuses the flavor ${wanted} for this server, which keeps ${former}`;
    expect(await ended(requestId)).toMatchObject({ successful: false, message });
    await expectServer(former, "running");
    expect(await messagesOf(requestId)).toContain(`The server has the flavor ${former} and is running`);
  });

  it.each([
    ["the zone does not offer the new one", "Unsupported", /^AWS does not offer m3\.large in /],
    [
      "AWS refuses the start",
      "InvalidParameterCombination",
      /^AWS does not start this server with the flavor m3\.large;/,
    ],
  ])("if %s", async (_name, code, sentence) => {
    await refuse("StartInstances", code, 1);
    const { message } = await ended(await modify());
    expect(message).toMatch(sentence);
    expect(message).toContain(`the server returns to ${former}`);
    await expectServer(former, "running");
  });

  it("if AWS refuses the new one, and the former one was set in AWS", async () => {
    await database.db.server.update({ where: { id }, data: { flavor: "m3.xlarge" } });
    await refuse("ModifyInstanceAttribute", "InvalidInstanceAttributeValue", 1);
    const message = `AWS refuses the flavor ${wanted} for this server, which keeps ${former}`;
    expect(await ended(await modify())).toMatchObject({ successful: false, message });
    await expectServer(former, "running");
  });

  it("if AWS has no capacity for the new one for ten minutes", async () => {
    await refuse("StartInstances", "InsufficientInstanceCapacity", 2);
    const requestId = await modify();
    const { db } = database;
    const stage = { requestId, name: "server.start" };
    for (let runs = 0; (await db.requestStage.count({ where: { ...stage, state: "waiting" } })) === 0; runs++) {
      expect(runs).toBeLessThan(50);
      await wakeUp(db, requestId);
      await runRequest(engine, requestId);
    }
    await db.requestStage.updateMany({ where: stage, data: { startedAt: new Date(Date.now() - 11 * 60_000) } });
    const { successful, message } = await ended(requestId);
    expect([successful, message]).toEqual([false, expect.stringMatching(/^AWS has had no capacity for m3\.large in /)]);
    await expectServer(former, "running");
  });

  it.each(["before StopInstances", "after StopInstances", "after ModifyInstanceAttribute", "after StartInstances"])(
    "if it is cancelled %s",
    async (point) => {
      const requestId = await modify();
      const cancel = { cancelRequestedAt: new Date(), wake: { increment: 1 }, nextRunAt: new Date() };
      let cancelling: Promise<unknown> | undefined;
      const { wrap } = interceptor((_nth, side, command) => {
        if (`${side} ${command.replace(/Command$/, "")}` !== point) return;
        cancelling ??= database.db.request.updateMany({ where: { id: requestId }, data: cancel }).then(() => {});
      });
      const connect: Engine<Aws>["connect"] = async (...location) => wrap(await engine.connect(...location));
      await runAllToEnd({ ...engine, connect }, customer.accountId);
      await cancelling;
      expect(await ended(requestId)).toMatchObject({ successful: false, message: "Cancelled" });
      await expectServer(former, "running");
    },
  );
});

it("says which flavor and state the server has if AWS starts it with neither flavor", async () => {
  await refuse("StartInstances", "UnauthorizedOperation");
  const requestId = await modify();
  expect(await ended(requestId)).toMatchObject({ successful: false, leakedResources: [] });
  await expectServer(former, "stopped");
  expect(await messagesOf(requestId)).toContain(`The server has the flavor ${former} and is stopped`);
});

it("waits for capacity that AWS has a little later", async () => {
  await refuse("StartInstances", "InsufficientInstanceCapacity", 1);
  expect(await ended(await modify())).toMatchObject({ successful: true });
  await expectServer(wanted, "running");
});

it("ends at once if the instance was terminated", async () => {
  await cloud.ec2.send(new TerminateInstancesCommand({ InstanceIds: [instanceId] }));
  const message = `The instance ${instanceId} was terminated in AWS`;
  const requestId = await modify();
  expect(await ended(requestId)).toMatchObject({ successful: false, message });
  expect(await serverRow()).toMatchObject({ flavor: former });
  expect(await messagesOf(requestId)).toEqual([message]);
});

describe("with `next-stop`", () => {
  it("writes only the record, which a later change replaces and the present flavor clears", async () => {
    const { accountId } = customer.awsAccount;
    const calls = async () => (await aws.calls({ accountId })).length;
    const before = await calls();
    for (const [flavor, pending] of [
      [wanted, wanted],
      ["m3.xlarge", "m3.xlarge"],
      [former, null],
    ] as const) {
      expect(await ended(await modify({ flavor, apply: "next-stop" }))).toMatchObject({ successful: true });
      expect(await serverRow()).toMatchObject({ flavor: former, pendingFlavor: pending });
    }
    expect(await calls()).toBe(before);
  });

  it("gives the server the flavor at its next stop", async () => {
    await ended(await modify({ apply: "next-stop" }));
    await expectServer(former, "running", wanted);
    expect(await ended(await update("stop"))).toMatchObject({ successful: true });
    await expectServer(wanted, "stopped");
  });

  it("gives a server that is stopped the flavor at its next start", async () => {
    await stopInAws();
    await ended(await modify({ apply: "next-stop" }));
    expect(await ended(await update("start"))).toMatchObject({ successful: true });
    await expectServer(wanted, "running");
  });

  it("keeps the former flavor, with a message, if AWS refuses the new one", async () => {
    await ended(await modify({ apply: "next-stop" }));
    await refuse("ModifyInstanceAttribute", "InvalidInstanceAttributeValue", 1);
    const requestId = await update("stop");
    expect(await ended(requestId)).toMatchObject({ successful: true });
    await expectServer(former, "stopped");
    expect(await messagesOf(requestId)).toEqual([
      `AWS refuses the flavor ${wanted} for this server, which keeps ${former}`,
    ]);
  });

  it("is replaced by a change at once", async () => {
    await ended(await modify({ flavor: "m3.xlarge", apply: "next-stop" }));
    await ended(await modify());
    await expectServer(wanted, "running");
  });
});

it("leaves a server stopped that was stopped in AWS while it started", async () => {
  await aws.setTransitionDelays({ instanceMs: 1500 }, { accountId: customer.awsAccount.accountId });
  const requestId = await modify();
  const { db } = database;
  for (let runs = 0; (await instance())?.flavor !== wanted || (await instance())?.state !== "pending"; runs++) {
    expect(runs).toBeLessThan(200);
    await wakeUp(db, requestId);
    await runRequest(engine, requestId);
  }
  await aws.setTransitionDelays({ instanceMs: 0 }, { accountId: customer.awsAccount.accountId });
  await stopInAws();
  const { message } = await ended(requestId);
  expect(message).toBe(`The instance ${instanceId} was stopped in AWS while it started`);
  await expectServer(former, "stopped");
});
