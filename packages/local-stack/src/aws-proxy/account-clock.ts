import type { IncomingHttpHeaders } from "node:http";
import type { Call } from "./call.js";
import type { TransitionDelays } from "./state-transitions.js";

const CLOCK = ["x-gantry-now", "x-gantry-delays"] as const;

/** Adds the account's time and delays for the emulator's launcher, which changes objects over time, and marks a caller's look. */
export function withClock(call: Call, offsetMs: number, delays: TransitionDelays): Call {
  const [now, ofDelays] = CLOCK;
  const clock = { [now]: String(Date.now() + offsetMs), [ofDelays]: JSON.stringify(delays) };
  const look = call.action.startsWith("Describe") ? { "x-gantry-look": "1" } : {};
  return { ...call, headers: { ...call.headers, ...clock, ...look } };
}

/** The account's time and delays among a call's headers, for the proxy's own queries, which are no looks of the caller. */
export function clockOf(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(CLOCK.flatMap((name) => (headers[name] ? [[name, String(headers[name])]] : [])));
}
