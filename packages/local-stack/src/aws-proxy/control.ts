import type { ServerResponse } from "node:http";
import { createAccount } from "./accounts.js";
import { textAnswer, write } from "./answer.js";
import type { FaultRule } from "./faults.js";
import type { FirstBootMode } from "./first-boot.js";
import { type InventoryQuestion, inventory } from "./inventory.js";
import type { SlownessSettings } from "./slowness.js";
import type { ProxyState } from "./state.js";

/** A path that AWS never uses; calls to it are neither written down nor harmed. */
export const CONTROL = "/__gantry/";

interface ControlCall {
  method: string;
  url: string;
  body: Buffer;
}

type Handle = (state: ProxyState, query: URLSearchParams, body: () => unknown) => unknown;

const ROUTES: Record<string, Handle> = {
  "GET emulator": ({ emulator }) => ({ url: emulator.url }),
  "POST accounts": ({ emulator }) => createAccount(emulator),
  "POST faults": ({ faults }, _query, body) => ({ id: faults.add(body() as FaultRule) }),
  "DELETE faults": ({ faults }, query) => faults.clear(Object.fromEntries(query)),
  "PUT published-rates": ({ rates }, query) => rates.hold(query.get("accountId") ?? ""),
  "GET calls": ({ ledger }, query) =>
    ledger.find({ ...Object.fromEntries(query), since: Number(query.get("since") ?? 0) }),
  "PUT slowness": ({ slowness }, query, body) =>
    slowness.set(body() as SlownessSettings, query.get("accountId") ?? undefined),
  "PUT first-boot": ({ manners }, query, body) =>
    manners.firstBoots.set(body() as FirstBootMode, query.get("accountId") ?? undefined),
  "POST inventory": ({ emulator }, _query, body) => inventory(emulator, body() as InventoryQuestion),
};

/** Answers the tests and the demo; an unknown path is 404, a failure 500 with its sentence. */
export async function control(state: ProxyState, { method, url, body }: ControlCall, response: ServerResponse) {
  const { pathname, searchParams } = new URL(url, "http://127.0.0.1");
  const handle = ROUTES[`${method} ${pathname.slice(CONTROL.length)}`];
  const reply = (status: number, value: unknown) =>
    write(response, textAnswer(status, "application/json", JSON.stringify(value ?? null)));
  if (!handle) return reply(404, { message: `There is no ${method} ${pathname}.` });
  try {
    reply(200, await handle(state, searchParams, () => JSON.parse(body.toString())));
  } catch (error) {
    reply(500, { message: error instanceof Error ? error.message : String(error) });
  }
}
