import type { Db } from "@gantry/db";
import type { JobsOptions } from "bullmq";

/** The names in Redis of the queues of webhooks: receivers that are known to be slow wait only for each other. */
export const WEBHOOK_QUEUES = { fast: "webhooks", slow: "webhooks-slow" } as const;

/** The job of a webhook: a worker delivers to it what is due according to the database. */
export interface WebhookJob {
  webhook: string;
  account: string;
}

/** The name of the job that finds the webhooks that are due, and schedules each. */
export const CHECK = "check";

/** The time for which webhooks that existed count as existing. */
const EXISTING_MS = 10_000;

/** Returns whether there are webhooks; true also if the database does not answer. Reads one row at most. */
export function webhookLookup(db: Db): () => Promise<boolean> {
  let existUntil = 0;
  return async () => {
    if (performance.now() < existUntil) return true;
    const found = await db.$queryRaw<object[]>`
      SELECT FROM webhooks WHERE deleted_at IS NULL AND disabled_at IS NULL LIMIT 1`.catch(() => [{}]);
    if (found.length > 0) existUntil = performance.now() + EXISTING_MS;
    return found.length > 0;
  };
}

/** Changes of all processes that follow each other within this time share a check. */
const CHECK_DELAY_MS = 50;

/** Returns the job that finds the webhooks that are due. */
export function checkJob(): { name: string; data: object; opts: JobsOptions } {
  return { name: CHECK, data: {}, opts: { ...onlyOne(CHECK), delay: CHECK_DELAY_MS } };
}

/** Returns the job that delivers to a webhook. */
export function deliveryJob(data: WebhookJob): { name: string; data: WebhookJob; opts: JobsOptions } {
  return { name: "deliver", data, opts: onlyOne(data.webhook) };
}

/** Only one of these jobs waits. It also waits while another one is active, which may have missed the last change. */
function onlyOne(id: string): JobsOptions {
  return { deduplication: { id, keepLastIfActive: true }, removeOnComplete: true, removeOnFail: true };
}
