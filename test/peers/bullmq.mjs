// https://docs.bullmq.io: a job that stalls starts again from its beginning; 50 is the example of its page on concurrency.
import { Queue, Worker } from "bullmq";
import { Redis } from "ioredis";
import { sendAll } from "./aws.mjs";
import { createNetwork } from "./network.mjs";
import { serve } from "./server.mjs";

const connect = () => new Redis(process.env.REDIS_URL, { maxRetriesPerRequest: null });
const prefix = process.env.QUEUE_PREFIX;
const defaultJobOptions = { attempts: 3, backoff: { type: "exponential", delay: 1000 } };
const queue = new Queue("networks", { connection: connect(), prefix, defaultJobOptions });
new Worker("networks", ({ data }) => createNetwork(data.id, sendAll), {
  connection: connect(),
  prefix,
  concurrency: 50,
});

const STATES = { completed: "finished", failed: "failed" };
await serve(
  (id) => queue.add("create", { id }, { jobId: id }),
  async (id) => STATES[await queue.getJobState(id)] ?? "running",
);
