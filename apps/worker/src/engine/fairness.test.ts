import { openRedis, RequestNotifier } from "@gantry/requests";
import { createPlainAccount } from "@gantry/test/support/account";
import { fakeWorkflow, testEngine } from "@gantry/test/support/engine";
import { FakeCloud } from "@gantry/test/support/fake-cloud";
import { cloneDatabase, type TestDatabase, testEnv, testLog } from "@gantry/test/support/stack";
import { until } from "@gantry/test/support/until";
import { openNetwork } from "@gantry/test/support/work";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import type { Engine } from "./engine.js";
import { sweep } from "./sweep.js";
import { startWorker } from "./worker.js";

let database: TestDatabase;
beforeAll(async () => {
  database = await cloneDatabase();
});
afterAll(() => database.drop());

it("starts a newcomer's Request while another account's fill all that one account may", async () => {
  const { db } = database;
  const [flooder, newcomer] = [await createPlainAccount(db), await createPlainAccount(db)];
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const slow = fakeWorkflow({ type: "provision_network", stages: { create: () => released }, discard: async () => {} });
  const workflows = new Map([["provision_network", slow]]) as Engine<FakeCloud>["workflows"];
  const env = testEnv(database);
  const redis = openRedis(env.REDIS_URL);
  const notifier = new RequestNotifier(env.REDIS_URL, env.QUEUE_PREFIX, testLog);
  const stop = startWorker(testEngine(database, new FakeCloud(), { workflows, notifier }), {
    redis,
    prefix: env.QUEUE_PREFIX,
    concurrency: 10,
    sweepSeconds: 60,
    requeue: (notification) => notifier.notifyLowPriority(notification),
  });
  const openFor = async (account: typeof flooder) => {
    const { requestId: id } = await openNetwork(db, account);
    return { id, accountId: account.accountId, wake: 0 };
  };
  const started = (accountId: string) => db.request.count({ where: { accountId, startedAt: { not: null } } });
  try {
    const flood = await Promise.all(Array.from({ length: 60 }, () => openFor(flooder)));
    notifier.notify(...flood);
    await until(async () => (await started(flooder.accountId)) === 8);
    notifier.notify(await openFor(newcomer));
    await until(async () => (await started(newcomer.accountId)) === 1);
    expect(await started(flooder.accountId)).toBe(8);
  } finally {
    release();
    await stop();
    await notifier.close();
    redis.disconnect();
  }
});

it("hears of a newcomer's Request by the sweep although a thousand of another account are due for longer", async () => {
  const { db } = database;
  const [flooder, newcomer] = [await createPlainAccount(db), await createPlainAccount(db)];
  await db.$executeRaw`
    INSERT INTO requests (id, account_id, type, input, trace_id, deadline_at, next_run_at)
    SELECT gen_random_uuid(), ${flooder.accountId}::uuid, 'provision_network', '{}', '', now() + interval '1 hour',
      now() - interval '1 minute' FROM generate_series(1, 1500)`;
  const { requestId } = await openNetwork(db, newcomer);
  const engine = testEngine(database, new FakeCloud());
  await sweep(engine);
  expect(engine.notifications).toHaveLength(1000);
  expect(engine.notifications).toContainEqual({ id: requestId, accountId: newcomer.accountId, wake: 0 });
});
