import type { RequestJobs } from "@gantry/requests";

/** A queue that only records the ids of the Requests whose jobs it would add, wake or restore. */
export interface RecordedJobs extends Pick<RequestJobs, "add" | "wake" | "restore" | "notifyWebhooks"> {
  ids: string[];
}

export function recordJobs(): RecordedJobs {
  const ids: string[] = [];
  const record = (...requests: { id: string }[]) => void ids.push(...requests.map(({ id }) => id));
  return { ids, add: record, restore: record, wake: (...woken) => void ids.push(...woken), notifyWebhooks: () => {} };
}
