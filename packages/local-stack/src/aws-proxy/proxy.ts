import { createServer, type Server, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { errorCodeOf, write } from "./answer.js";
import { type Call, readCall } from "./call.js";
import { CONTROL, control } from "./control.js";
import { Emulator } from "./emulator.js";
import { type FaultRule, Faults } from "./faults.js";
import { harm, throttle } from "./harm.js";
import { Ledger } from "./ledger.js";
import { Manners } from "./manners.js";
import { Newcomers } from "./newcomers.js";
import { PublishedRates } from "./published-rates.js";
import { Slowness, type SlownessSettings } from "./slowness.js";
import type { ProxyState } from "./state.js";

export interface ProxySettings {
  upstream: string;
  ledgerFile?: string;
  slowness?: SlownessSettings;
}

/** Stands in front of the emulator: gives it the manners of AWS, does harm on demand, and writes every call down. */
export function createProxy(settings: ProxySettings): Server {
  const emulator = new Emulator(settings.upstream);
  const slowness = new Slowness(settings.slowness);
  const manners = new Manners(emulator, slowness);
  const [faults, rates, ledger] = [new Faults(), new PublishedRates(), new Ledger(settings.ledgerFile)];
  const state = { emulator, slowness, manners, faults, rates, newcomers: new Newcomers(), ledger };
  const server = createServer(async (request, response) => {
    try {
      const body = await buffer(request);
      const { method = "GET", url = "/", headers } = request;
      if (url.startsWith(CONTROL)) await control(state, { method, url, body }, response);
      else await serve(state, readCall(method, url, headers, body), response);
    } catch {
      response.destroy();
    }
  });
  server.keepAliveTimeout = 60_000;
  return server;
}

async function serve(state: ProxyState, call: Call, response: ServerResponse) {
  const { emulator, faults, rates, ledger, manners, newcomers } = state;
  const hungUp = new AbortController();
  response.once("close", () => hungUp.abort());
  const accountId = await emulator.accountOf(call.accessKeyId);
  const entry = ledger.open(call, accountId);
  if (!rates.allow(call, accountId)) return ledger.close(entry, throttle(call, response).ended);
  const rules = faults.hitting(call, accountId);
  const left = await harm(call, rules, response, hungUp.signal);
  if ("ended" in left) return ledger.close(entry, left.ended);
  try {
    newcomers.note(call);
    const answer = await manners.answer(newcomers.hide(call, hidingMs(rules)), accountId);
    const errorCode = errorCodeOf(answer);
    const outcome = left.loseAnswer ? "lost" : hungUp.signal.aborted ? "abandoned" : "answered";
    ledger.close(entry, { outcome, status: answer.status, ...(errorCode && { errorCode }) });
    if (outcome === "answered") write(response, answer);
    else response.destroy();
  } catch {
    ledger.close(entry, { outcome: "unreachable" });
    response.destroy();
  }
}

function hidingMs(rules: FaultRule[]): number {
  return Math.max(0, ...rules.map(({ kind, hideMs = 0 }) => (kind === "hide" ? hideMs : 0)));
}
