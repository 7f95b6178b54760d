import { setTimeout as sleep } from "node:timers/promises";
import { connectRedis, JobQueues, type QueuedRequest } from "@gantry/queue";
import { createPlainAccount } from "@gantry/test/support/account";
import { testEngine } from "@gantry/test/support/engine";
import { FakeCloud } from "@gantry/test/support/fake-cloud";
import { provisionNetwork } from "@gantry/test/support/request-runs";
import { cloneDatabase, type TestDatabase, testEnv, testLog } from "@gantry/test/support/stack";
import { until } from "@gantry/test/support/until";
import { requestNetwork } from "@gantry/test/support/work";
import { AccountSlots } from "./account-slots.js";
import { startWorker } from "./worker.js";

let database: TestDatabase;
beforeAll(async () => {
  database = await cloneDatabase();
});
afterAll(() => database.drop());

type Account = Awaited<ReturnType<typeof createPlainAccount>>;

/** A worker with its own queue, whose Requests last as long as `work`. */
function startTestWorker({
  concurrency,
  sweepSeconds,
  work,
}: {
  concurrency: number;
  sweepSeconds: number;
  work: () => Promise<void>;
}) {
  const { db } = database;
  const env = testEnv(database);
  const redis = connectRedis(env.REDIS_URL);
  const jobs = new JobQueues(env.REDIS_URL, env.QUEUE_PREFIX, testLog);
  const kept = { completed: { count: 10 }, failed: { count: 10 } };
  const workflows = provisionNetwork(work);
  const slots = new AccountSlots(concurrency);
  const options = {
    redis,
    prefix: env.QUEUE_PREFIX,
    concurrency,
    slots,
    sweepSeconds,
    kept,
  };
  const stop = startWorker({ ...testEngine(database, new FakeCloud(), { workflows }), jobs }, options);
  const requestFor = async (account: Account, ahead = 0): Promise<QueuedRequest> => {
    const { requestId } = await requestNetwork(db, account);
    return { ...(await db.request.findUniqueOrThrow({ where: { id: requestId } })), ahead };
  };
  const end = async () => {
    await stop();
    await jobs.close();
    redis.disconnect();
  };
  return { jobs, slots, requestFor, end };
}

const started = ({ accountId }: Account) =>
  database.db.request.count({ where: { accountId, startedAt: { not: null } } });

it("starts the Request of one account while another account fills all slots that one account may hold", async () => {
  const [flooder, other] = [await createPlainAccount(database.db), await createPlainAccount(database.db)];
  const released = Promise.withResolvers<void>();
  const { jobs, slots, requestFor, end } = startTestWorker({
    concurrency: 10,
    sweepSeconds: 60,
    work: () => released.promise,
  });
  try {
    jobs.add(...(await Promise.all(Array.from({ length: 60 }, (_, ahead) => requestFor(flooder, ahead)))));
    await until(async () => (await started(flooder)) === 8);
    jobs.add(await requestFor(other));
    await until(async () => (await started(other)) === 1);
    expect(await started(flooder)).toBe(8);
    expect(slots.inUse).toBe(9);
  } finally {
    released.resolve();
    await end();
  }
  expect(slots.inUse).toBe(0);
});

it("does not starve a waiting account while others overload the worker", async () => {
  const { db } = database;
  const waiting = await createPlainAccount(db);
  const others = await Promise.all(Array.from({ length: 10 }, () => createPlainAccount(db)));
  const { jobs, requestFor, end } = startTestWorker({ concurrency: 1, sweepSeconds: 0.2, work: () => sleep(30) });
  const [wanted, most] = [10, 300];
  let asked = 0;
  try {
    const flood = await Promise.all(Array.from({ length: 60 }, (_, i) => requestFor(waiting, i + 1)));
    await db.$executeRaw`
      UPDATE requests SET next_run_at = now() - interval '1 minute' WHERE account_id = ${waiting.accountId}::uuid`;
    jobs.add(...flood);
    const isServed = async () => (await started(waiting)) >= wanted;
    const keepAsking = async (account: Account) => {
      while (asked++ < most && !(await isServed())) {
        const request = await requestFor(account);
        jobs.add(request);
        await until(async () => (await db.request.findUnique({ where: { id: request.id } }))?.finishedAt);
      }
    };
    await Promise.all(others.map(keepAsking));
    expect(await started(waiting)).toBeGreaterThanOrEqual(wanted);
    expect(asked).toBeGreaterThan(10);
  } finally {
    await end();
  }
});
