import { randomUUID } from "node:crypto";
import { Writable } from "node:stream";
import { connectRedis, QueueWorker } from "@gantry/queue";
import { createLog, growingPauseMs } from "@gantry/runtime";
import { redisUrl } from "@gantry/test/support/stack";
import { until } from "@gantry/test/support/until";
import { Queue } from "bullmq";

const JOBS = 500;
const CONCURRENCY = 5;

/** The most rounds of failures that fit into a time, with the pauses between them. */
function roundsIn(ms: number): number {
  let rounds = 1;
  for (let passed = 0; passed <= ms; rounds++) passed += growingPauseMs(rounds);
  return rounds;
}

it("does not try a long queue through while its jobs fail, says so once, and goes on afterwards", async () => {
  const connection = connectRedis(redisUrl);
  const prefix = `{${randomUUID()}}`;
  const queue = new Queue("jobs", { connection, prefix });
  const lines: { msg: string }[] = [];
  const write = (chunk: Buffer, _: string, done: () => void) => {
    lines.push(JSON.parse(String(chunk)));
    done();
  };
  let isAway = true;
  let failures = 0;
  const run = async () => {
    if (!isAway) return;
    failures++;
    throw new Error("away");
  };
  await queue.addBulk(Array.from({ length: JOBS }, () => ({ name: "job", data: {} })));
  const start = performance.now();
  const worker = new QueueWorker("jobs", run, createLog("worker", "info", new Writable({ write })), {
    connection,
    prefix,
    concurrency: CONCURRENCY,
  });
  try {
    await until(async () => failures >= 4 * CONCURRENCY);
    expect(failures).toBeLessThanOrEqual(CONCURRENCY * roundsIn(performance.now() - start));
    isAway = false;
    await until(async () => (await queue.getCompletedCount()) === JOBS - failures);
    await until(async () => lines.length > 1);
    expect(lines.map(({ msg }) => msg)).toEqual([
      "job of queue jobs failed; will retry",
      "job of queue jobs works again",
    ]);
  } finally {
    await worker.close();
    await queue.close();
    connection.disconnect();
  }
});
