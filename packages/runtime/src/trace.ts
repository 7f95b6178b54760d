import { AsyncLocalStorage } from "node:async_hooks";
import { randomUUID } from "node:crypto";

const current = new AsyncLocalStorage<string>();

const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$/;

/** The trace id of the work under way: 32 hexadecimal characters, or undefined outside any. */
export function currentTrace(): string | undefined {
  return current.getStore();
}

/** Runs `act` with `traceId` as the current trace, across its awaits. */
export function withTrace<T>(traceId: string, act: () => T): T {
  return current.run(traceId, act);
}

/** The trace id of a W3C `traceparent` header, or a new one where there is none. */
export function traceIdFrom(traceparent: string | undefined): string {
  return TRACEPARENT.exec(traceparent ?? "")?.[1] ?? randomHex();
}

/** The W3C `traceparent` header that carries `traceId` onwards. */
export function traceparent(traceId: string): string {
  return `00-${traceId}-${randomHex().slice(16)}-01`;
}

// Drawn from a buffer that Node fills ahead, unlike randomBytes.
function randomHex(): string {
  return randomUUID().replaceAll("-", "");
}
