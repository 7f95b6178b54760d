import { openRedis, type QueuedRequest, RequestJobs } from "@gantry/requests";
import { createPlainAccount } from "@gantry/test/support/account";
import { testEngine } from "@gantry/test/support/engine";
import { FakeCloud } from "@gantry/test/support/fake-cloud";
import { provisionNetwork } from "@gantry/test/support/request-runs";
import { cloneDatabase, type TestDatabase, testEnv, testLog } from "@gantry/test/support/stack";
import { until } from "@gantry/test/support/until";
import { openNetwork } from "@gantry/test/support/work";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { startWorker } from "./worker.js";

let database: TestDatabase;
beforeAll(async () => {
  database = await cloneDatabase();
});
afterAll(() => database.drop());

type Account = Awaited<ReturnType<typeof createPlainAccount>>;

/** A worker whose Requests run until `release` is called, on a queue of its own. */
async function startStalledWorker({ concurrency, sweepSeconds }: { concurrency: number; sweepSeconds: number }) {
  const { db } = database;
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const env = testEnv(database);
  const redis = openRedis(env.REDIS_URL);
  const jobs = new RequestJobs(env.REDIS_URL, env.QUEUE_PREFIX, testLog);
  const kept = { completed: { count: 10 }, failed: { count: 10 } };
  const workflows = provisionNetwork(() => released);
  const options = { redis, prefix: env.QUEUE_PREFIX, concurrency, sweepSeconds, kept };
  const stop = startWorker({ ...testEngine(database, new FakeCloud(), { workflows }), jobs }, options);
  const openFor = async (account: Account, ahead = 0): Promise<QueuedRequest> => {
    const { requestId } = await openNetwork(db, account);
    return { ...(await db.request.findUniqueOrThrow({ where: { id: requestId } })), ahead };
  };
  const end = async () => {
    release();
    await stop();
    await jobs.close();
    redis.disconnect();
  };
  return { jobs, openFor, end };
}

const started = ({ accountId }: Account) =>
  database.db.request.count({ where: { accountId, startedAt: { not: null } } });

it("starts the Request of one account while another account fills all slots that one account may hold", async () => {
  const [flooder, other] = [await createPlainAccount(database.db), await createPlainAccount(database.db)];
  const { jobs, openFor, end } = await startStalledWorker({ concurrency: 10, sweepSeconds: 60 });
  try {
    jobs.add(...(await Promise.all(Array.from({ length: 60 }, (_, ahead) => openFor(flooder, ahead)))));
    await until(async () => (await started(flooder)) === 8);
    jobs.add(await openFor(other));
    await until(async () => (await started(other)) === 1);
    expect(await started(flooder)).toBe(8);
  } finally {
    await end();
  }
});
