import { AsyncLocalStorage } from "node:async_hooks";
import { randomUUID } from "node:crypto";

const current = new AsyncLocalStorage<string>();

const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-((?!0{16})[0-9a-f]{16}-[0-9a-f]{2})$/;

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

/** The caller's span in a W3C `traceparent` header, as its id and flags; undefined without a valid header. */
export function parentSpanFrom(traceparent: string | undefined): string | undefined {
  return TRACEPARENT.exec(traceparent ?? "")?.[2];
}

/**
 * The W3C `traceparent` header of a call within the trace.
 *
 * @param span the id and flags of the span that makes the call; a random id if absent
 */
export function traceparent(traceId: string, span = `${randomHex().slice(16)}-01`): string {
  return `00-${traceId}-${span}`;
}

// Node takes UUIDs from a buffer that it fills in advance, unlike randomBytes.
function randomHex(): string {
  return randomUUID().replaceAll("-", "");
}
