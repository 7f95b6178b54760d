import { setTimeout as sleep } from "node:timers/promises";
import type { BenchEnvironment, LaunchedProcess } from "./bench-environment.js";
import { WORKER } from "./build.js";
import { requestClient } from "./request-client.js";
import { percentileOf } from "./statistics.js";

/** The time after which the killed worker's call would have been answered. */
const CALL_MS = 9000;

/**
 * Kills a worker with SIGKILL that reads from AWS, and returns after how many seconds another claims its Request: the
 * median and the 99th percentile.
 */
export async function measureTakeovers(
  { aws, awsAccount, db, launch, providerId, token }: BenchEnvironment,
  api: string,
  rounds: number,
): Promise<{ p50: number; p99: number }> {
  const { send } = requestClient(api, token);
  const { accountId } = awsAccount;
  const seconds: number[] = [];
  let worker = await launch(WORKER);
  for (let round = 0; round < rounds; round++) {
    await aws.delay("*", CALL_MS, { accountId });
    const path = `/providers/${providerId}/locations/discover`;
    const { request } = await send<{ request: { id: string } }>("PUT", path, {});
    await until(async () => (await fenceOf(request.id)) === 1);
    // Any moment of a lease is as likely as another.
    await sleep(500 + Math.random() * 3000);
    const other: LaunchedProcess = await launch(WORKER);
    const killedAt = performance.now();
    process.kill(worker.pid, "SIGKILL");
    await until(async () => (await fenceOf(request.id)) > 1);
    seconds.push((performance.now() - killedAt) / 1000);
    await aws.clear({ accountId });
    await until(
      async () =>
        (await send<{ request: { finished_at?: string } }>("GET", `/requests/${request.id}`)).request.finished_at,
    );
    worker = other;
  }
  await worker.stop();
  return { p50: percentileOf(seconds, 0.5), p99: percentileOf(seconds, 0.99) };

  async function fenceOf(id: string): Promise<number> {
    return (await db.request.findUniqueOrThrow({ where: { id }, select: { fence: true } })).fence;
  }
}

async function until(isSo: () => Promise<unknown>): Promise<void> {
  while (!(await isSo())) await sleep(20);
}
