import { randomUUID } from "node:crypto";
import type { Db } from "@gantry/db";
import { connectRedis, JobQueues, QUEUE } from "@gantry/queue";
import { requestTypes } from "@gantry/resources";
import { testEngine, wakeUp } from "@gantry/test/support/engine";
import { startEngineTest } from "@gantry/test/support/engine-test";
import { FakeCloud } from "@gantry/test/support/fake-cloud";
import { provisionNetwork } from "@gantry/test/support/request-runs";
import { testEnv, testLog } from "@gantry/test/support/stack";
import { until } from "@gantry/test/support/until";
import { requestNetwork } from "@gantry/test/support/work";
import { DelayedError, Job, Worker } from "bullmq";
import { AccountSlots } from "./account-slots.js";
import { jobRunner } from "./job-runner.js";
import { notYet } from "./stage-errors.js";

const { database, account } = await startEngineTest();
const workflows = provisionNetwork(() => Promise.reject(notYet("An hour", { retryInSeconds: 3600 })));

let worker: Worker;
let jobs: JobQueues;
let close: () => Promise<void>;
beforeEach(() => {
  const { REDIS_URL } = testEnv(database);
  const prefix = `{${randomUUID()}}`;
  const redis = connectRedis(REDIS_URL);
  // However long a test takes, no job is taken from it.
  worker = new Worker(QUEUE, null, { connection: redis, prefix, lockDuration: 3_600_000 });
  jobs = new JobQueues(REDIS_URL, prefix, testLog);
  close = async () => {
    await worker.close();
    await jobs.close();
    redis.disconnect();
  };
});
afterEach(() => close());

/** Creates a Request and takes its job. */
async function takeJob(): Promise<{ job: Job; token: string; requestId: string }> {
  const { requestId } = await requestNetwork(database.db, account);
  jobs.add(await database.db.request.findUniqueOrThrow({ where: { id: requestId } }));
  await jobs.settled();
  const token = randomUUID();
  const job = (await worker.getNextJob(token)) as Job;
  expect(job.id).toBe(requestId);
  return { job, token, requestId };
}

/** The seconds until a delayed job may be taken. */
async function delayOf(job: Job): Promise<number> {
  expect(await job.isDelayed()).toBe(true);
  return ((await Job.fromId(worker, job.id as string))?.delay ?? 0) / 1000;
}

it("delays a job for as long as its Request waits", async () => {
  const { job, token } = await takeJob();
  const run = jobRunner(testEngine(database, new FakeCloud(), { workflows }), new AccountSlots(10));
  await expect(run(job, token)).rejects.toThrow(DelayedError);
  const seconds = await delayOf(job);
  expect(seconds).toBeGreaterThan(0);
  expect(seconds).toBeLessThanOrEqual(3600);
});

it("shows on a job the stage in which its Request waits", async () => {
  const { job, token } = await takeJob();
  const run = jobRunner(testEngine(database, new FakeCloud(), { workflows }), new AccountSlots(10));
  await expect(run(job, token)).rejects.toThrow(DelayedError);
  const [stage] = requestTypes.provision_network.stages;
  await until(async () => (await Job.fromId(worker, job.id as string))?.progress !== 0);
  expect((await Job.fromId(worker, job.id as string))?.progress).toEqual({ stage, percent: 0 });
});

it("returns what the database says of a Request, whether this run ended it or another one", async () => {
  const { job, token, requestId } = await takeJob();
  const engine = testEngine(database, new FakeCloud(), { workflows: provisionNetwork(async () => {}) });
  const run = jobRunner(engine, new AccountSlots(10));
  const { resourceType, resourceId } = await database.db.request.findUniqueOrThrow({ where: { id: requestId } });
  const result = { state: "finished", resource: `${resourceType}/${resourceId}` };
  expect([await run(job, token), await run(job, token)]).toEqual([result, result]);
});

it("wakes a job whose Request was woken just before the job was delayed", async () => {
  const { job, token, requestId } = await takeJob();
  let isWoken = false;
  const db = database.db.$extends({
    query: {
      async $allOperations({ args, query }) {
        const result = await query(args);
        // What is left to do was read, and says that the Request waits.
        if (!isWoken && JSON.stringify(args).includes("isSuccessful")) {
          isWoken = true;
          await wakeUp(database.db, requestId);
        }
        return result;
      },
    },
  });
  const engine = testEngine(database, new FakeCloud(), { workflows, db: db as unknown as Db });
  await expect(jobRunner(engine, new AccountSlots(10))(job, token)).rejects.toThrow(DelayedError);
  expect(isWoken).toBe(true);
  expect(engine.jobs.ids).toEqual([requestId]);
});

it("leaves a job of a type that it does not know to newer workers, and asks again after seconds", async () => {
  const { job, token, requestId } = await takeJob();
  const engine = testEngine(database, new FakeCloud(), { workflows: new Map() });
  await expect(jobRunner(engine, new AccountSlots(10))(job, token)).rejects.toThrow(DelayedError);
  expect(await delayOf(job)).toBeGreaterThan(1);
  expect(await database.db.request.findUnique({ where: { id: requestId } })).toMatchObject({ startedAt: null });
  expect(engine.jobs.ids).toEqual([]);
});
