import { AsyncLocalStorage } from "node:async_hooks";

/** The facts of a span. An undefined one is left out. No value may be a secret or come from a body. */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** The trace of a span, and the span above it if there is one. */
export interface SpanParent {
  /** 32 hexadecimal characters. */
  traceId: string;
  /** The id and the flags of the span above, as the end of a W3C `traceparent`: `00f067aa0ba902b7-01`. */
  span?: string | null | undefined;
}

export interface SpanOptions {
  kind?: "internal" | "server" | "client";
  attributes?: Attributes;
  /** The parent; the current span if absent. */
  parent?: SpanParent;
  /** The id, 16 hexadecimal characters; a random one if absent. */
  id?: string;
  /** The start, if it was before now. */
  startTime?: Date;
  /** Whether an error by which the work ends is a failure; if absent, every error is. */
  isFailure?: (error: unknown) => boolean;
}

/** A part of a trace that has begun. */
export interface Span {
  readonly traceId: string;
  /** Its id and its flags, as the end of a W3C `traceparent`. */
  readonly position: string;
  set(attributes: Attributes): void;
  rename(name: string): void;
  /** Marks the span as failed. `type` is a class of errors and never a message, which could hold a secret. */
  fail(type: string): void;
  end(): void;
}

/** Begins spans and sends those that ended. */
export interface Recorder {
  start(name: string, options: SpanOptions, parent: SpanParent): Span;
  /** The flags of a trace that begins here: `01` if it is sampled. */
  flagsOf(traceId: string): string;
}

/** A span, and those around it. */
interface Scope {
  span: Span;
  outer: Scope | undefined;
  hasEnded: boolean;
}

let recorder: Recorder | undefined;

// Until its first `run`, which needs a recorder, it costs nothing.
const scopes = new AsyncLocalStorage<Scope>();

/** Sets the recorder of this process; undefined stops the recording. */
export function useRecorder(next: Recorder | undefined): void {
  recorder = next;
}

/** Whether this process records traces. */
export function isTracing(): boolean {
  return recorder !== undefined;
}

/**
 * Runs `work` as a span of the current trace. Without a trace, and if this process records none, only runs `work`.
 *
 * @param name few names for many spans: no id belongs in it
 */
export function span<T>(name: string, options: SpanOptions, work: (span: Span | undefined) => Promise<T>): Promise<T> {
  if (recorder === undefined) return work(undefined);
  const begun = startSpan(name, options);
  return begun ? runToEnd(begun, options, work) : work(undefined);
}

async function runToEnd<T>(
  begun: Span,
  { isFailure = () => true }: SpanOptions,
  work: (span: Span) => Promise<T>,
): Promise<T> {
  try {
    return await insideSpan(begun, () => work(begun));
  } catch (error) {
    if (isFailure(error)) begun.fail(errorType(error));
    throw error;
  } finally {
    begun.end();
  }
}

/** Begins a span, which the caller ends. Returns undefined outside of a trace, and if this process records none. */
export function startSpan(name: string, options: SpanOptions = {}): Span | undefined {
  if (recorder === undefined) return undefined;
  const current = options.parent ? undefined : currentSpan();
  const parent = options.parent ?? (current && { traceId: current.traceId, span: current.position });
  return parent && recorder.start(name, options, parent);
}

/** Runs `work` with `begun` as the current span, until that ends. */
export function insideSpan<T>(begun: Span, work: () => T): T {
  const scope: Scope = { span: begun, outer: scopes.getStore(), hasEnded: false };
  const end = begun.end.bind(begun);
  begun.end = () => {
    scope.hasEnded = true;
    end();
  };
  return scopes.run(scope, work);
}

/**
 * The current span. What goes on after a span has ended, such as work that a timer repeats, belongs to the next one
 * around it that has not.
 */
export function currentSpan(): Span | undefined {
  if (recorder === undefined) return undefined;
  let scope = scopes.getStore();
  while (scope?.hasEnded) scope = scope.outer;
  return scope?.span;
}

/** The flags of a trace that begins in this process; undefined if it records none. */
export function flagsOf(traceId: string): string | undefined {
  return recorder?.flagsOf(traceId);
}

/** The class of an error: its code or its name. */
function errorType(error: unknown): string {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  if (typeof code === "string") return code;
  return typeof name === "string" ? name : "unknown";
}
