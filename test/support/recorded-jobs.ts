import type { JobQueues } from "@gantry/queue";

/** A queue that only records the ids of the Requests whose jobs it would add, wake or restore, and counts looks for webhooks. */
export interface RecordedJobs extends Pick<JobQueues, "add" | "wake" | "restore" | "notifyWebhooks"> {
  ids: string[];
  looks: number;
}

export function recordJobs(): RecordedJobs {
  const ids: string[] = [];
  const record = (...requests: { id: string }[]) => void ids.push(...requests.map(({ id }) => id));
  return {
    ids,
    looks: 0,
    add: record,
    restore: record,
    wake: (...woken) => void ids.push(...woken),
    notifyWebhooks() {
      this.looks += 1;
    },
  };
}
