import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { type AwsError, errorResponse, sendResponse } from "./aws-response.js";
import type { Call } from "./call.js";
import type { LoggedCall } from "./call-log.js";
import type { ActiveRule, FaultRule } from "./faults.js";

export type CallResult = Pick<LoggedCall, "outcome" | "status" | "errorCode">;

/** The effect of rules on a call: the call has ended, or continues and its response is delivered or lost. */
export type FaultEffect = { ended: CallResult } | { losesResponse: boolean };

/** Applies the rules that hit a call, in order; `signal` aborts when the caller closes the connection. */
export async function injectFaults(
  call: Call,
  rules: ActiveRule[],
  response: ServerResponse,
  signal: AbortSignal,
): Promise<FaultEffect> {
  let losesResponse = false;
  for (const rule of rules) {
    if (rule.kind === "delay") await sleep(rule.delayMs ?? 0, undefined, { signal }).catch(() => undefined);
    if (rule.kind === "loseResponse") losesResponse = true;
    if (rule.kind === "reset") {
      response.destroy();
      return { ended: { outcome: "reset" } };
    }
    if (rule.kind === "hang") {
      const end = AbortSignal.any([signal, rule.removal.signal]);
      if (!end.aborted) await new Promise((resolve) => end.addEventListener("abort", resolve));
      response.destroy();
      return { ended: { outcome: "hung" } };
    }
    if (rule.kind === "error") return sendError(call, errorOf(rule), response, "refused");
    if (rule.kind === "throttle") return throttle(call, response);
  }
  return { losesResponse };
}

/** Rejects a call that exceeds a rate. */
export function throttle(call: Call, response: ServerResponse): { ended: CallResult } {
  return sendError(call, throttlingError(call), response, "throttled");
}

function sendError(call: Call, error: AwsError, response: ServerResponse, outcome: "refused" | "throttled") {
  sendResponse(response, errorResponse(call, error));
  return { ended: { outcome, status: error.status ?? 400, errorCode: error.code } };
}

function errorOf({ code = "InternalError", message = "An injected error.", status }: FaultRule): AwsError {
  return { code, message, ...(status && { status }) };
}

/** EC2 sends RequestLimitExceeded with 503, the Query services send Throttling with 400. */
function throttlingError({ service }: Call): AwsError {
  return service === "ec2"
    ? { code: "RequestLimitExceeded", message: "Request limit exceeded.", status: 503 }
    : { code: "Throttling", message: "Rate exceeded" };
}
