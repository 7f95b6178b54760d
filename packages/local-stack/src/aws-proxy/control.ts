import type { ServerResponse } from "node:http";
import { type AccountOptions, createAccount } from "./accounts.js";
import { sendResponse, textResponse } from "./aws-response.js";
import type { CatalogueMode } from "./catalogue/catalogue.js";
import type { FaultRule } from "./faults.js";
import type { FirstBootMode } from "./first-boot.js";
import { type InventoryQuery, inventory } from "./inventory.js";
import type { ProxyContext } from "./proxy-context.js";
import type { TransitionDelays } from "./state-transitions.js";

/** A path that AWS never uses; requests to it are neither logged as calls nor hit by faults. */
export const CONTROL_PATH = "/__gantry/";

interface ControlRequest {
  method: string;
  url: string;
  body: Buffer;
}

type ControlHandler = (context: ProxyContext, query: URLSearchParams, body: () => unknown) => unknown;

const ROUTES: Record<string, ControlHandler> = {
  "GET emulator": ({ emulator }) => ({ url: emulator.url }),
  "POST accounts": async ({ emulator, enabledRegions }, _query, body) => {
    const account = await createAccount(emulator);
    enabledRegions.accounts.set((body() as AccountOptions).regions ?? null, account.accountId);
    return account;
  },
  "POST faults": ({ faults }, _query, body) => ({ id: faults.add(body() as FaultRule) }),
  "DELETE faults": ({ faults }, query) => faults.clear(Object.fromEntries(query)),
  "PUT published-rates": ({ rates }, query) => rates.enforceFor(query.get("accountId") ?? ""),
  "PUT enforced-policies": ({ policies }, query) => policies.enforceIn(query.get("accountId") ?? ""),
  "GET calls": ({ callLog }, query) =>
    callLog.find({ ...Object.fromEntries(query), since: Number(query.get("since") ?? 0) }),
  "GET violations": ({ models }, query) => models.find(Object.fromEntries(query)),
  "DELETE violations": ({ models }, query) => models.take(Object.fromEntries(query)),
  "PUT transition-delays": ({ transitionDelays }, query, body) =>
    transitionDelays.set(body() as TransitionDelays, query.get("accountId") ?? undefined),
  "PUT catalogue": ({ catalogueModes }, query, body) =>
    catalogueModes.set(body() as CatalogueMode, query.get("accountId") ?? undefined),
  "PUT clock-offset": ({ clockOffsets }, query, body) =>
    clockOffsets.set(body() as number, query.get("accountId") ?? undefined),
  "PUT first-boot": ({ behaviour }, query, body) =>
    behaviour.firstBoots.modes.set(body() as FirstBootMode, query.get("accountId") ?? undefined),
  "POST inventory": ({ emulator }, _query, body) => inventory(emulator, body() as InventoryQuery),
};

/** Serves the tests and the demo. An unknown path returns 404, an error 500 with its message. */
export async function handleControl(
  context: ProxyContext,
  { method, url, body }: ControlRequest,
  response: ServerResponse,
) {
  const { pathname, searchParams } = new URL(url, "http://127.0.0.1");
  const handle = ROUTES[`${method} ${pathname.slice(CONTROL_PATH.length)}`];
  const reply = (status: number, value: unknown) =>
    sendResponse(response, textResponse(status, "application/json", JSON.stringify(value ?? null)));
  if (!handle) return reply(404, { message: `There is no ${method} ${pathname}.` });
  try {
    reply(200, await handle(context, searchParams, () => JSON.parse(body.toString())));
  } catch (error) {
    reply(500, { message: error instanceof Error ? error.message : String(error) });
  }
}
