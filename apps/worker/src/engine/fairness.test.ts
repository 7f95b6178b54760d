import { openRedis, RequestNotifier } from "@gantry/requests";
import { createPlainAccount } from "@gantry/test/support/account";
import { testEngine } from "@gantry/test/support/engine";
import { FakeCloud } from "@gantry/test/support/fake-cloud";
import { provisionNetwork } from "@gantry/test/support/request-runs";
import { cloneDatabase, type TestDatabase, testEnv, testLog } from "@gantry/test/support/stack";
import { until } from "@gantry/test/support/until";
import { openNetwork } from "@gantry/test/support/work";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { sweep } from "./sweep.js";
import { startWorker } from "./worker.js";

let database: TestDatabase;
beforeAll(async () => {
  database = await cloneDatabase();
});
afterAll(() => database.drop());

it("starts the Request of one account while another account fills all slots that one account may hold", async () => {
  const { db } = database;
  const [flooder, other] = [await createPlainAccount(db), await createPlainAccount(db)];
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const workflows = provisionNetwork(() => released);
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
    notifier.notify(await openFor(other));
    await until(async () => (await started(other.accountId)) === 1);
    expect(await started(flooder.accountId)).toBe(8);
  } finally {
    release();
    await stop();
    await notifier.close();
    redis.disconnect();
  }
});

it("notifies the Request of one account by the sweep although a thousand of another have been due longer", async () => {
  const { db } = database;
  const [flooder, other] = [await createPlainAccount(db), await createPlainAccount(db)];
  await db.$executeRaw`
    INSERT INTO requests (id, account_id, type, input, trace_id, deadline_at, next_run_at)
    SELECT gen_random_uuid(), ${flooder.accountId}::uuid, 'provision_network', '{}', '', now() + interval '1 hour',
      now() - interval '1 minute' FROM generate_series(1, 1500)`;
  const { requestId } = await openNetwork(db, other);
  const engine = testEngine(database, new FakeCloud());
  await sweep(engine);
  expect(engine.notifications).toHaveLength(1000);
  expect(engine.notifications).toContainEqual({ id: requestId, accountId: other.accountId, wake: 0 });
});
