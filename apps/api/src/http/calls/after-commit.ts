import type { QueuedRequest } from "@gantry/queue";
import { requestsCreated } from "@gantry/telemetry";
import type { Answer, Call } from "./call.js";
import type { SentReply } from "./idempotency.js";

/** Collects what follows the commit of a call's changes. */
export class AfterCommit {
  readonly accepted: QueuedRequest[] = [];
  readonly woken: string[] = [];
  readonly actions: (() => void)[] = [];
}

/** Carries out what follows the commit once `commit` has ended; nothing if it fails. */
export function withAfterCommit(commit: (call: Call, afterCommit: AfterCommit) => Promise<SentReply>): Answer {
  return async (call) => {
    const { endpoint, appContext, isDryRun } = call;
    const afterCommit = new AfterCommit();
    const reply = await commit(call, afterCommit);
    const { accepted, woken, actions } = afterCommit;
    for (const { type } of accepted) requestsCreated.inc({ type });
    if (accepted.length > 0) appContext.jobs.add(...accepted);
    if (woken.length > 0) appContext.jobs.wake(...woken);
    if (endpoint.method !== "GET" && !isDryRun) appContext.jobs.notifyWebhooks();
    for (const action of actions) action();
    return reply;
  };
}
