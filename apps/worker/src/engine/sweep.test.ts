import { randomUUID } from "node:crypto";
import { connectRedis, JobQueues, QUEUE } from "@gantry/queue";
import { readdedJobs } from "@gantry/telemetry";
import { testEngine } from "@gantry/test/support/engine";
import { startEngineTest } from "@gantry/test/support/engine-test";
import { FakeCloud } from "@gantry/test/support/fake-cloud";
import { testEnv, testLog } from "@gantry/test/support/stack";
import { until } from "@gantry/test/support/until";
import { requestNetwork } from "@gantry/test/support/work";
import { Queue } from "bullmq";
import { sweep } from "./sweep.js";

const { database, account } = await startEngineTest();

const { REDIS_URL } = testEnv(database);
let jobs: JobQueues;
let redis: ReturnType<typeof connectRedis>;
let queue: Queue;
beforeEach(() => {
  const prefix = `{${randomUUID()}}`;
  jobs = new JobQueues(REDIS_URL, prefix, testLog);
  redis = connectRedis(REDIS_URL);
  queue = new Queue(QUEUE, { connection: redis, prefix });
});
afterEach(async () => {
  await database.db.$executeRaw`UPDATE requests SET finished_at = now(), successful = true`;
  await jobs.close();
  await queue.close();
  redis.disconnect();
});

it("restores the job that Redis lost, and counts only this one", async () => {
  const { requestId: queued } = await requestNetwork(database.db, account);
  await until(async () => {
    jobs.add(await database.db.request.findUniqueOrThrow({ where: { id: queued } }));
    await jobs.settled();
    return queue.getJob(queued);
  });
  const { requestId: lost } = await requestNetwork(database.db, account);
  readdedJobs.reset();

  const engine = { ...testEngine(database, new FakeCloud()), jobs };
  await sweep(engine);
  await jobs.settled();
  await sweep(engine);
  await jobs.settled();
  const waiting = await queue.getJobs(["waiting", "prioritized"]);
  expect(new Set(waiting.map(({ id }) => id))).toEqual(new Set([queued, lost]));
  expect((await readdedJobs.get()).values).toEqual([{ value: 1, labels: {} }]);
});

it.each([
  ["its account's first", 0],
  ["behind others of its account", 3],
])("lets a Request whose worker was lost, %s, run before those that have waited for long", async (_, lostBehind) => {
  const { db } = database;
  const ids: string[] = [];
  for (const ahead of [0, 2, lostBehind]) {
    const { requestId: id } = await requestNetwork(db, account);
    jobs.add({ ...(await db.request.findUniqueOrThrow({ where: { id } })), ahead });
    ids.push(id);
  }
  const [, second = "", lost = ""] = ids;
  await db.$executeRaw`UPDATE requests SET next_run_at = now() - interval '1 minute' WHERE id = ANY(${ids}::uuid[])`;
  await db.$executeRaw`
    UPDATE requests SET fence = 1, started_at = now(), lease_until = now() - interval '1 second', next_run_at = now()
    WHERE id = ${lost}::uuid`;
  // A busy Redis may drop what one sweep sends. Workers take the last one of the list first.
  await until(async () => {
    await sweep({ ...testEngine(database, new FakeCloud()), jobs });
    await jobs.settled();
    const waiting = await redis.lrange(queue.toKey("wait"), -3, -1);
    return waiting.includes(second) && waiting.at(-1) === lost;
  });
});
