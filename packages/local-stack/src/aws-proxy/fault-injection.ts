import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { type AwsError, errorResponse, sendResponse } from "./aws-response.js";
import type { Call } from "./call.js";
import type { LoggedCall } from "./call-log.js";
import type { FaultRule } from "./faults.js";

export type CallResult = Pick<LoggedCall, "outcome" | "status" | "errorCode">;

/** What the rules leave of a call: it has ended, or it goes on and its answer is delivered or lost. */
export type FaultEffect = { ended: CallResult } | { loseAnswer: boolean };

/** Does to a call what the rules that hit it say, one after the other; `hungUp` tells that the caller is gone. */
export async function injectFaults(
  call: Call,
  rules: FaultRule[],
  response: ServerResponse,
  disconnected: AbortSignal,
): Promise<FaultEffect> {
  let losesResponse = false;
  for (const rule of rules) {
    if (rule.kind === "delay")
      await sleep(rule.delayMs ?? 0, undefined, { signal: disconnected }).catch(() => undefined);
    if (rule.kind === "loseResponse") losesResponse = true;
    if (rule.kind === "reset") {
      response.destroy();
      return { ended: { outcome: "reset" } };
    }
    if (rule.kind === "hang") {
      if (!disconnected.aborted) await new Promise((resolve) => disconnected.addEventListener("abort", resolve));
      return { ended: { outcome: "hung" } };
    }
    if (rule.kind === "error") return sendError(call, errorOf(rule), response, "refused");
    if (rule.kind === "throttle") return throttle(call, response);
  }
  return { loseAnswer: losesResponse };
}

/** Refuses a call that exceeds a rate. */
export function throttle(call: Call, response: ServerResponse): { ended: CallResult } {
  return sendError(call, throttlingError(call), response, "throttled");
}

function sendError(call: Call, refusal: AwsError, response: ServerResponse, outcome: "refused" | "throttled") {
  sendResponse(response, errorResponse(call, refusal));
  return { ended: { outcome, status: refusal.status ?? 400, errorCode: refusal.code } };
}

function errorOf({ code = "InternalError", message = "Refused on demand.", status }: FaultRule): AwsError {
  return { code, message, ...(status && { status }) };
}

/** EC2 says RequestLimitExceeded with 503, the Query services Throttling with 400. */
function throttlingError({ service }: Call): AwsError {
  return service === "ec2"
    ? { code: "RequestLimitExceeded", message: "Request limit exceeded.", status: 503 }
    : { code: "Throttling", message: "Rate exceeded" };
}
