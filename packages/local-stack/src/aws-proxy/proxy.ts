import { createServer, type Server, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { AwsBehaviour } from "./aws-behaviour.js";
import { errorCodeOf, sendResponse } from "./aws-response.js";
import { type Call, parseCall } from "./call.js";
import { CallLog } from "./call-log.js";
import { CONTROL_PATH, handleControl } from "./control.js";
import { Emulator } from "./emulator.js";
import { injectFaults, throttle } from "./fault-injection.js";
import { type FaultRule, FaultRules } from "./faults.js";
import type { ProxyContext } from "./proxy-context.js";
import { PublishedRates } from "./published-rates.js";
import { TransitionDelaySettings, type TransitionDelays } from "./transition-delays.js";
import { VisibilityDelay } from "./visibility-delay.js";

export interface ProxySettings {
  upstream: string;
  callLogFile?: string;
  transitionDelays?: TransitionDelays;
}

/** Stands in front of the emulator: gives it the behaviour of AWS, does harm on demand, and writes every call down. */
export function createProxy(settings: ProxySettings): Server {
  const emulator = new Emulator(settings.upstream);
  const transitionDelays = new TransitionDelaySettings(settings.transitionDelays);
  const behaviour = new AwsBehaviour(emulator, transitionDelays);
  const [faults, rates, callLog] = [new FaultRules(), new PublishedRates(), new CallLog(settings.callLogFile)];
  const state = {
    emulator,
    transitionDelays,
    behaviour,
    faults,
    rates,
    visibilityDelay: new VisibilityDelay(),
    callLog,
  };
  const server = createServer(async (request, response) => {
    try {
      const body = await buffer(request);
      const { method = "GET", url = "/", headers } = request;
      if (url.startsWith(CONTROL_PATH)) await handleControl(state, { method, url, body }, response);
      else await serve(state, parseCall(method, url, headers, body), response);
    } catch {
      response.destroy();
    }
  });
  server.keepAliveTimeout = 60_000;
  return server;
}

async function serve(state: ProxyContext, call: Call, response: ServerResponse) {
  const { emulator, faults, rates, callLog, behaviour, visibilityDelay } = state;
  const disconnected = new AbortController();
  response.once("close", () => disconnected.abort());
  const accountId = await emulator.accountIdOf(call.accessKeyId);
  const entry = callLog.start(call, accountId);
  if (!rates.allow(call, accountId)) return callLog.finish(entry, throttle(call, response).ended);
  const rules = faults.triggeredBy(call, accountId);
  const left = await injectFaults(call, rules, response, disconnected.signal);
  if ("ended" in left) return callLog.finish(entry, left.ended);
  try {
    visibilityDelay.recordTags(call);
    const answer = await behaviour.respond(visibilityDelay.hideRecent(call, visibilityDelayOf(rules)), accountId);
    const errorCode = errorCodeOf(answer);
    const outcome = left.loseAnswer ? "lost" : disconnected.signal.aborted ? "abandoned" : "answered";
    callLog.finish(entry, { outcome, status: answer.status, ...(errorCode && { errorCode }) });
    if (outcome === "answered") sendResponse(response, answer);
    else response.destroy();
  } catch {
    callLog.finish(entry, { outcome: "unreachable" });
    response.destroy();
  }
}

function visibilityDelayOf(rules: FaultRule[]): number {
  return Math.max(
    0,
    ...rules.map(({ kind, visibilityDelayMs = 0 }) => (kind === "delayVisibility" ? visibilityDelayMs : 0)),
  );
}
