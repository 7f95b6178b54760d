import { AsyncLocalStorage } from "node:async_hooks";
import { randomUUID } from "node:crypto";

const current = new AsyncLocalStorage<string>();

const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$/;

/** The current trace id, 32 hexadecimal characters, or undefined outside of `withTrace`. */
export function currentTrace(): string | undefined {
  return current.getStore();
}

/** Runs `work` with `traceId` as the current trace id, across its awaits. */
export function withTrace<T>(traceId: string, work: () => T): T {
  return current.run(traceId, work);
}

/** The trace id of a W3C `traceparent` header, or a new one without a valid header. */
export function traceIdFrom(traceparent: string | undefined): string {
  return TRACEPARENT.exec(traceparent ?? "")?.[1] ?? randomHex();
}

/** The W3C `traceparent` header of a call within the trace. */
export function traceparent(traceId: string): string {
  return `00-${traceId}-${randomHex().slice(16)}-01`;
}

// Node takes UUIDs from a buffer that it fills in advance, unlike randomBytes.
function randomHex(): string {
  return randomUUID().replaceAll("-", "");
}
