import { StopDBInstanceCommand } from "@aws-sdk/client-rds";
import { aws, REGION } from "@gantry/test/support/account";
import { interceptor, type OnAwsCall } from "@gantry/test/support/aws-interceptor";
import { awsTestContext } from "@gantry/test/support/aws-test-context";
import {
  DATABASE_PASSWORD,
  NEXT_DATABASE_PASSWORD,
  passwordsOf,
  requestDatabaseService,
  requestRotation,
} from "@gantry/test/support/databases";
import { Crash, runAllToEnd, wakeUp } from "@gantry/test/support/engine";
import { until } from "@gantry/test/support/until";
import { type Aws, awsOpener } from "../../aws/clients.js";
import type { Engine } from "../../engine/engine.js";
import { runRequest } from "../../engine/run.js";

const context = awsTestContext();

/** The engine of a test, with its interceptor around each call. */
let engine: Engine<Aws>;
let onCall: OnAwsCall;
/** The password that RDS has accepted last. */
let inRds: unknown;

beforeEach(() => {
  onCall = () => {};
  inRds = undefined;
  const { wrap } = interceptor((nth, side, command, call) => {
    const { MasterUserPassword: password } = call.input as { MasterUserPassword?: string };
    if (side === "after" && password) inRds = password;
    return onCall(nth, side, command, call);
  });
  engine = {
    ...context.engine,
    connect: async (...location) => wrap(await context.engine.connect(...location)),
    classify: (error) => {
      if (error instanceof Crash) throw error;
      return context.engine.classify(error);
    },
  };
});

const AURORA = { engine: "aurora-postgresql", version: "17.4", flavor: "db.t4g.medium" };
const SETS = /^ModifyDB(Instance|Cluster)Command$/;

async function database(options: Parameters<typeof requestDatabaseService>[3] = {}): Promise<string> {
  const { db, env, customer } = context;
  const { id } = await requestDatabaseService(db, env, customer, options);
  await settle();
  expect(await recorded(id)).toEqual({ isSent: false, next: null, passwords: [DATABASE_PASSWORD, DATABASE_PASSWORD] });
  return id;
}

const settle = () => runAllToEnd(engine, context.customer.accountId);
const recorded = (id: string) => passwordsOf(context, id);
const rotate = (id: string, password?: string) => requestRotation(context, id, password);
const requestOf = (id: string) => context.db.request.findUniqueOrThrow({ where: { id } });
const messagesOf = async (requestId: string) =>
  (await context.db.requestMessage.findMany({ where: { requestId } })).map(({ message }) => message);
const cancel = (id: string) =>
  context.db.request.update({
    where: { id },
    data: { cancelRequestedAt: new Date(), wake: { increment: 1 }, nextRunAt: new Date() },
  });

/** Asserts that the record shows one password, on itself and its master, and that the database has it. */
async function expectPassword(id: string, password: string): Promise<void> {
  expect(await recorded(id)).toEqual({ isSent: false, next: null, passwords: [password, password] });
  expect(inRds).toBe(password);
}

/** Runs a Request repeatedly until it waits for this reason. */
const waitsFor = (requestId: string, reason: RegExp) =>
  until(async () => {
    await wakeUp(context.db, requestId);
    await runRequest(engine, requestId);
    return reason.test((await requestOf(requestId)).waitingFor ?? "");
  });

/** Rotates until RDS has the next password and has not applied it yet. */
async function rotateSlowly(id: string): Promise<{ requestId: string; sent: string[] }> {
  const { accountId } = context.customer.awsAccount;
  const sent: string[] = [];
  onCall = async (_nth, side, name) => {
    if (side !== "after" || !SETS.test(name)) return;
    sent.push(name);
    if (sent.length === 1) await aws.setTransitionDelays({ databaseMs: 600_000 }, { accountId });
  };
  const requestId = await rotate(id);
  // The delay also has the cluster's first member created for longer.
  await waitsFor(requestId, /now (creating|resetting-master-credentials)/);
  expect(inRds).toBe(NEXT_DATABASE_PASSWORD);
  return { requestId, sent };
}

it.each([
  ["an instance", {}, "ModifyDBInstanceCommand"],
  ["a cluster", AURORA, "ModifyDBClusterCommand"],
])("sets the next password of %s once, and records it when RDS has applied it", async (_name, options, command) => {
  const { accountId } = context.customer.awsAccount;
  const id = await database(options);
  const { requestId, sent } = await rotateSlowly(id);
  const both = { isSent: true, next: NEXT_DATABASE_PASSWORD, passwords: [DATABASE_PASSWORD, DATABASE_PASSWORD] };
  expect(await recorded(id)).toEqual(both);
  await aws.setTransitionDelays({}, { accountId });
  await settle();
  expect(await requestOf(requestId)).toMatchObject({ successful: true, message: null });
  await expectPassword(id, NEXT_DATABASE_PASSWORD);
  expect(sent).toEqual([command]);
  expect(await messagesOf(requestId)).toEqual(["The database has the new password"]);
});

describe.each([
  ["an instance", {}],
  ["a cluster", AURORA],
])("the record of %s has the password of the database", (_name, options) => {
  /** Rotates again and again, with `interrupt` at the first call, then at the second, and so on. */
  async function rotateAtEachCall(
    interrupt: (requestId: string) => unknown,
    then: (id: string, requestId: string, before: string, next: string) => Promise<void>,
  ): Promise<void> {
    const id = await database(options);
    let calls = 0;
    for (let point = 1; calls >= point - 1; point++) {
      const [before] = (await recorded(id)).passwords;
      const next = `the-password-of-round-${point}`;
      const requestId = await rotate(id, next);
      calls = 0;
      onCall = () => {
        calls += 1;
        return calls === point ? interrupt(requestId) : undefined;
      };
      await settle();
      await then(id, requestId, before ?? "", next);
    }
    // Two of them read, and one sets the password.
    expect(calls).toBeGreaterThanOrEqual(6);
  }

  it("whichever call its worker crashes at", () =>
    rotateAtEachCall(
      () => {
        throw new Crash();
      },
      async (id, requestId, _before, next) => {
        expect(await requestOf(requestId)).toMatchObject({ successful: true, message: null });
        await expectPassword(id, next);
      },
    ));

  it("whichever call it is cancelled at", async () => {
    let undone = 0;
    await rotateAtEachCall(cancel, async (id, requestId, before, next) => {
      const { successful, message, finishedAt } = await requestOf(requestId);
      expect([successful, message]).toEqual(finishedAt && successful ? [true, null] : [false, "Cancelled"]);
      const messages = await messagesOf(requestId);
      if (messages.includes("The database has its former password")) undone += 1;
      await expectPassword(id, successful || messages.includes("The database has the new password") ? next : before);
    });
    expect(undone).toBeGreaterThan(0);
  });
});

const refuse = (code: string, times?: number) =>
  aws.refuse("ModifyDBInstance", {
    code,
    ...(times && { times }),
    accessKeyId: context.customer.awsAccount.accessKeyId,
  });

it.each([
  ["an instance", {}],
  ["a cluster", AURORA],
])("sets the former password of %s again if it is cancelled while RDS applies the next one", async (_name, options) => {
  const id = await database(options);
  const { requestId } = await rotateSlowly(id);
  await cancel(requestId);
  await aws.setTransitionDelays({}, { accountId: context.customer.awsAccount.accountId });
  await settle();
  expect(await requestOf(requestId)).toMatchObject({ successful: false, message: "Cancelled" });
  await expectPassword(id, DATABASE_PASSWORD);
});

it("keeps the former password, without another call, if RDS refuses the first one", async () => {
  const id = await database();
  const { accountId } = context.customer.awsAccount;
  const before = (await aws.calls({ accountId, action: "ModifyDBInstance" })).length;
  await refuse("AccessDenied", 1);
  const requestId = await rotate(id);
  await settle();
  expect(await requestOf(requestId)).toMatchObject({ successful: false, leakedResources: [] });
  await expectPassword(id, DATABASE_PASSWORD);
  expect((await aws.calls({ accountId, action: "ModifyDBInstance" })).length).toBe(before + 1);
});

it("sets the former password again if it is unknown whether RDS has the next one", async () => {
  const id = await database();
  let isLost = true;
  onCall = (_nth, side, name) => {
    if (side === "after" && SETS.test(name) && isLost && inRds === NEXT_DATABASE_PASSWORD)
      throw Object.assign(new Error("the answer is lost"), { name: "TimeoutError", $metadata: {} });
  };
  const requestId = await rotate(id);
  await until(async () => {
    await wakeUp(context.db, requestId);
    await runRequest(engine, requestId);
    return (await recorded(id)).isSent;
  });
  isLost = false;
  await refuse("AccessDenied", 1);
  await settle();
  expect(await requestOf(requestId)).toMatchObject({ successful: false });
  await expectPassword(id, DATABASE_PASSWORD);
  expect(await messagesOf(requestId)).toContain("The database has its former password");
});

it("keeps both passwords if RDS refuses the former one too, and another rotation sets the same one again", async () => {
  const id = await database();
  const denied = () => Object.assign(new Error("no"), { name: "AccessDenied", $metadata: {} });
  onCall = (_nth, side, name) => {
    if (side === "before" && SETS.test(name)) throw denied();
  };
  const requestId = await rotate(id);
  await settle();
  expect(await requestOf(requestId)).toMatchObject({ successful: false });
  expect(await recorded(id)).toEqual({
    isSent: true,
    next: NEXT_DATABASE_PASSWORD,
    passwords: [DATABASE_PASSWORD, DATABASE_PASSWORD],
  });
  expect(await messagesOf(requestId)).toContain(
    "RDS may have the former or the new password; rotate the credentials again",
  );
});

it("fails before RDS is asked if the database is stopped", async () => {
  const id = await database();
  const { rds } = awsOpener(10)(REGION, context.customer.awsAccount);
  const { provisionedId } = await context.db.databaseServer.findFirstOrThrow({ where: { databaseServiceId: id } });
  await rds.send(new StopDBInstanceCommand({ DBInstanceIdentifier: provisionedId ?? "" }));
  const requestId = await rotate(id);
  await settle();
  expect(await requestOf(requestId)).toMatchObject({ successful: false, message: "The database server is stopped" });
  await expectPassword(id, DATABASE_PASSWORD);
});
