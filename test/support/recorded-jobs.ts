import type { JobQueues } from "@gantry/queue";

/** A queue that only records the ids of the Requests whose jobs it would add, wake or restore, and counts checks for webhooks. */
export interface RecordedJobs extends Pick<JobQueues, "add" | "wake" | "ensureJobs" | "notifyWebhooks"> {
  ids: string[];
  webhookChecks: number;
}

export function recordJobs(): RecordedJobs {
  const ids: string[] = [];
  const record = (...requests: { id: string }[]) => void ids.push(...requests.map(({ id }) => id));
  return {
    ids,
    webhookChecks: 0,
    add: record,
    ensureJobs: record,
    wake: (...woken) => void ids.push(...woken),
    notifyWebhooks() {
      this.webhookChecks += 1;
    },
  };
}
