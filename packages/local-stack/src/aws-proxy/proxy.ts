import { createServer, type Server, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { answerAccountCheck } from "./account-checks.js";
import { withClock } from "./account-clock.js";
import { AccountSettings } from "./account-settings.js";
import { AwsBehaviour } from "./aws-behaviour.js";
import { type AwsResponse, errorCodeOf, errorResponse, sendResponse } from "./aws-response.js";
import { type Call, parseCall } from "./call.js";
import { CallLog, type LoggedCall } from "./call-log.js";
import type { CatalogueMode } from "./catalogue/catalogue.js";
import { CONTROL_PATH, handleControl } from "./control.js";
import { Emulator } from "./emulator.js";
import { EnabledRegions } from "./enabled-regions.js";
import { EnforcedPolicies } from "./enforced-policies.js";
import { injectFaults, throttle } from "./fault-injection.js";
import { type FaultRule, FaultRules } from "./faults.js";
import { withLaunchFault } from "./group-launches.js";
import { ModelValidation } from "./models/violations.js";
import type { ProxyContext } from "./proxy-context.js";
import { PublishedRates } from "./published-rates.js";
import type { TransitionDelays } from "./state-transitions.js";
import { VisibilityDelay } from "./visibility-delay.js";

export interface ProxySettings {
  upstream: string;
  /** The folder of the emulator's Python environment, which holds data and models of AWS. */
  emulatorHome: string;
  /** The offers of the emulated AWS; those of today by default. */
  catalogue?: CatalogueMode;
  callLogFile?: string;
  transitionDelays?: TransitionDelays;
}

/** Creates the proxy of the emulator: adds the behaviour of AWS that it lacks, injects faults, and logs every call. */
export function createProxy(settings: ProxySettings): Server {
  const emulator = new Emulator(settings.upstream);
  const transitionDelays = new AccountSettings<TransitionDelays>(settings.transitionDelays ?? {});
  const catalogueModes = new AccountSettings<CatalogueMode>(settings.catalogue ?? "today");
  const behaviour = new AwsBehaviour(emulator, transitionDelays, catalogueModes, settings.emulatorHome);
  const [faults, rates, visibility] = [new FaultRules(), new PublishedRates(), new VisibilityDelay()];
  const callLog = new CallLog(settings.callLogFile);
  const models = new ModelValidation(settings.emulatorHome);
  const [policies, enabledRegions] = [new EnforcedPolicies(), new EnabledRegions()];
  const ofAccounts = {
    enabledRegions,
    transitionDelays,
    catalogueModes,
    clockOffsets: new AccountSettings(0),
    policies,
  };
  const context = { emulator, models, behaviour, callLog, faults, rates, visibility, ...ofAccounts };
  const server = createServer(async (request, response) => {
    try {
      const body = await buffer(request);
      const { method = "GET", url = "/", headers } = request;
      if (url.startsWith(CONTROL_PATH)) await handleControl(context, { method, url, body }, response);
      else await serve(context, parseCall(method, url, headers, body), response);
    } catch {
      response.destroy();
    }
  });
  server.keepAliveTimeout = 60_000;
  // A process that stalls would handle the end of an idle connection before the call that has arrived on it.
  server.keepAliveTimeoutBuffer = 60_000;
  return server;
}

async function serve(context: ProxyContext, call: Call, response: ServerResponse) {
  const { emulator, models, faults, rates, callLog, behaviour, visibility, policies, clockOffsets } = context;
  const { enabledRegions, transitionDelays } = context;
  const disconnected = new AbortController();
  response.once("close", () => disconnected.abort());
  const accountId = await emulator.accountIdOf(call.accessKeyId);
  const entry = callLog.start(call, accountId);
  const disabled = enabledRegions.refusal(call, accountId);
  const refusal = disabled ? errorResponse(call, disabled) : await models.refusal(call, accountId, entry.app);
  if (refusal) {
    callLog.finish(entry, { outcome: "answered", ...statusOf(refusal) });
    return sendResponse(response, refusal);
  }
  if (!rates.allow(call, accountId)) return callLog.finish(entry, throttle(call, response).ended);
  const rules = faults.triggeredBy(call, accountId);
  const effect = await injectFaults(call, rules, response, disconnected.signal);
  if ("ended" in effect) return callLog.finish(entry, effect.ended);
  try {
    visibility.recordTags(call);
    const isDenied = (service: string, action: string) => faults.denies({ ...call, service, action }, accountId);
    const visible = visibility.hideRecent(enabledRegions.restrict(call, accountId), visibilityDelayOf(rules));
    const launching = withLaunchFault(visible, faults, accountId);
    const marked = policies.mark(launching, accountId);
    const timed = withClock(marked, clockOffsets.of(accountId), transitionDelays.of(accountId));
    const awsResponse =
      (await policies.denialOfRead(marked, emulator)) ??
      answerAccountCheck(call, isDenied) ??
      (await behaviour.respond(timed, accountId));
    const outcome = effect.losesResponse ? "lost" : disconnected.signal.aborted ? "abandoned" : "answered";
    callLog.finish(entry, { outcome, ...statusOf(awsResponse) });
    if (outcome === "answered") sendResponse(response, withDate(awsResponse, clockOffsets.of(accountId)));
    else response.destroy();
  } catch {
    callLog.finish(entry, { outcome: "unreachable" });
    response.destroy();
  }
}

/** AWS sends its time with every response. */
function withDate(response: AwsResponse, offsetMs: number): AwsResponse {
  const date = new Date(Date.now() + offsetMs).toUTCString();
  return { ...response, headers: { ...response.headers, date } };
}

function statusOf(response: AwsResponse): Pick<LoggedCall, "status" | "errorCode"> {
  const errorCode = errorCodeOf(response);
  return { status: response.status, ...(errorCode && { errorCode }) };
}

function visibilityDelayOf(rules: FaultRule[]): number {
  return Math.max(0, ...rules.map(({ kind, delayMs = 0 }) => (kind === "delayVisibility" ? delayMs : 0)));
}
