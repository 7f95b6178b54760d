import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { type Refusal, refusalAnswer, write } from "./answer.js";
import type { Call } from "./call.js";
import type { FaultRule } from "./faults.js";
import type { LedgerEntry } from "./ledger.js";

export type Ending = Pick<LedgerEntry, "outcome" | "status" | "errorCode">;

/** What the rules leave of a call: it has ended, or it goes on and its answer is delivered or lost. */
export type Harm = { ended: Ending } | { loseAnswer: boolean };

/** Does to a call what the rules that hit it say, one after the other; `hungUp` tells that the caller is gone. */
export async function harm(
  call: Call,
  rules: FaultRule[],
  response: ServerResponse,
  hungUp: AbortSignal,
): Promise<Harm> {
  let loseAnswer = false;
  for (const rule of rules) {
    if (rule.kind === "delay") await sleep(rule.delayMs ?? 0, undefined, { signal: hungUp }).catch(() => undefined);
    if (rule.kind === "loseAnswer") loseAnswer = true;
    if (rule.kind === "reset") {
      response.destroy();
      return { ended: { outcome: "reset" } };
    }
    if (rule.kind === "hang") {
      if (!hungUp.aborted) await new Promise((resolve) => hungUp.addEventListener("abort", resolve));
      return { ended: { outcome: "hung" } };
    }
    if (rule.kind === "error") return refuse(call, refusalOf(rule), response, "refused");
    if (rule.kind === "throttle") return throttle(call, response);
  }
  return { loseAnswer };
}

/** Refuses a call that exceeds a rate. */
export function throttle(call: Call, response: ServerResponse): { ended: Ending } {
  return refuse(call, throttling(call), response, "throttled");
}

function refuse(call: Call, refusal: Refusal, response: ServerResponse, outcome: "refused" | "throttled") {
  write(response, refusalAnswer(call, refusal));
  return { ended: { outcome, status: refusal.status ?? 400, errorCode: refusal.code } };
}

function refusalOf({ code = "InternalError", message = "Refused on demand.", status }: FaultRule): Refusal {
  return { code, message, ...(status && { status }) };
}

/** EC2 says RequestLimitExceeded with 503, the Query services Throttling with 400. */
function throttling({ service }: Call): Refusal {
  return service === "ec2"
    ? { code: "RequestLimitExceeded", message: "Request limit exceeded.", status: 503 }
    : { code: "Throttling", message: "Rate exceeded" };
}
