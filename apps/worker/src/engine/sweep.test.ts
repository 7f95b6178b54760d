import { randomUUID } from "node:crypto";
import { connectRedis, JobQueues, QUEUE } from "@gantry/queue";
import { readdedJobs } from "@gantry/telemetry";
import { testEngine } from "@gantry/test/support/engine";
import { startEngineTest } from "@gantry/test/support/engine-test";
import { FakeCloud } from "@gantry/test/support/fake-cloud";
import { testEnv, testLog } from "@gantry/test/support/stack";
import { requestNetwork } from "@gantry/test/support/work";
import { Queue } from "bullmq";
import { sweep } from "./sweep.js";

const { database, account } = await startEngineTest();

it("restores the job that Redis lost, and counts only this one", async () => {
  const { REDIS_URL } = testEnv(database);
  const prefix = `{${randomUUID()}}`;
  const jobs = new JobQueues(REDIS_URL, prefix, testLog);
  const redis = connectRedis(REDIS_URL);
  const queue = new Queue(QUEUE, { connection: redis, prefix });
  const { requestId: queued } = await requestNetwork(database.db, account);
  jobs.add(await database.db.request.findUniqueOrThrow({ where: { id: queued } }));
  const { requestId: lost } = await requestNetwork(database.db, account);
  await jobs.settled();
  readdedJobs.reset();

  const engine = { ...testEngine(database, new FakeCloud()), jobs };
  await sweep(engine);
  await jobs.settled();
  await sweep(engine);
  await jobs.settled();
  const waiting = await queue.getJobs(["waiting", "prioritized"]);
  expect(new Set(waiting.map(({ id }) => id))).toEqual(new Set([queued, lost]));
  expect((await readdedJobs.get()).values).toEqual([{ value: 1, labels: {} }]);

  await jobs.close();
  await queue.close();
  redis.disconnect();
});
