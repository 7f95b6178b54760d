import {
  Conflict,
  ConnectionLost,
  EventsExpired,
  type GantryError,
  RequestCancelled,
  RequestFailed,
  Unavailable,
  WaitTimeout,
} from "./errors.js";
import { type Contact, EventStream, type GantryEvent, type StreamOptions } from "./events.js";
import type { LeakedResource, Message, Request, Stage } from "./generated/schemas.js";
import { listOf, type Pages } from "./pages.js";
import { type Call, type CallOptions, pauseBefore, sleep, type Transport } from "./transport.js";

export interface DoneOptions {
  /** Milliseconds to wait; without a limit by default. */
  timeoutMs?: number | undefined;
  /** Ends the waiting, not the work. */
  signal?: AbortSignal | undefined;
  /** Also read the events of the Request's children. */
  children?: boolean | undefined;
  /** Called for every event. */
  onEvent?: ((event: GantryEvent) => void) | undefined;
  /** Called when Gantry cannot be reached, and when it can again. */
  onContact?: ((contact: Contact) => void) | undefined;
}

export interface CancelResult {
  state: Request["state"];
  /** What is left in AWS. */
  leaked: LeakedResource[];
  request: Request;
}

/** Seconds that a call waits for the end while events cannot be read. */
const WAIT_S = 20;

/** A Request that Gantry has accepted: the work goes on whether or not anybody waits for it. */
export class RequestHandle<T = unknown> {
  readonly id: string;
  readonly #transport: Transport;
  readonly #isRemoval: boolean | undefined;
  #record: Request;
  #cursor: string | undefined;

  constructor(
    transport: Transport,
    record: Pick<Request, "id"> & Partial<Request>,
    { isRemoval, cursor }: { isRemoval?: boolean | undefined; cursor?: string | undefined } = {},
  ) {
    this.#transport = transport;
    this.id = record.id;
    this.#record = record as Request;
    this.#isRemoval = isRemoval;
    this.#cursor = cursor;
  }

  /** The Request as it was seen last. */
  get record(): Request {
    return this.#record;
  }

  get state(): Request["state"] {
    return this.#record.state;
  }

  async refresh(options: CallOptions & { wait?: number } = {}): Promise<this> {
    const { wait = 0, ...call } = options;
    const timeoutMs = call.timeoutMs ?? 30_000 + wait * 1000;
    const { body } = await this.#send("GET", "", { ...call, timeoutMs, query: { wait } });
    this.#record = (body as { request: Request }).request;
    return this;
  }

  /**
   * Waits for the end and returns the record of the Request, or nothing after a removal. A Gantry that is away for a while, or
   * restarts, only makes it take longer.
   *
   * @throws RequestFailed or RequestCancelled, with what is left in AWS; WaitTimeout, after which the work goes on
   */
  async done(options: DoneOptions = {}): Promise<T> {
    return this.#atEnd(options, async (signal) => {
      if (this.#record.successful) return this.#result(signal);
      throw await this.#failure(signal);
    });
  }

  /** The events of the Request, from its acceptance or `after` to its end. */
  async *events(options: StreamOptions = {}): AsyncGenerator<GantryEvent> {
    const stream = new EventStream(this.#transport, `/requests/${this.id}/events`, options);
    for await (const event of stream) {
      this.#cursor = event.id;
      if (this.#isOwn(event)) this.#record = (event.record ?? this.#record) as unknown as Request;
      yield event;
      if (this.#isEnd(event)) return;
    }
  }

  stages(): Pages<Stage> {
    return listOf(this.#transport, `/requests/${this.id}/stages`, "stages", {});
  }

  children(query: { state?: Request["state"] } = {}): Pages<Request> {
    return listOf(this.#transport, `/requests/${this.id}/dependencies`, "requests", { query });
  }

  messages(): Pages<Message> {
    return listOf(this.#transport, `/requests/${this.id}/messages`, "messages", {});
  }

  /** What the Request created in AWS and could not remove. */
  async leaked(options: CallOptions = {}): Promise<LeakedResource[]> {
    const { body } = await this.#send("GET", "/leaked-resources", options);
    return (body as { leaked_resources: LeakedResource[] }).leaked_resources;
  }

  /** Cancels the Request, and waits until what it created is removed. A Request that has ended by then stays as it is. */
  async cancel(options: CallOptions & DoneOptions = {}): Promise<CancelResult> {
    const { onEvent, onContact, timeoutMs, ...call } = options;
    try {
      await this.#send("POST", "/cancel", call);
    } catch (error) {
      if (!(error instanceof Conflict && (await this.refresh(call)).#record.finished_at)) throw error;
    }
    return this.#atEnd({ onEvent, onContact, timeoutMs, signal: options.signal }, async (signal) => {
      const leaked = await this.leaked({ ...call, signal });
      return { state: this.state, leaked, request: this.#record };
    });
  }

  /** Runs a failed Request again, as a new Request. */
  async retry(options: CallOptions = {}): Promise<RequestHandle<T>> {
    const { body } = await this.#send("POST", "/retry", options);
    return new RequestHandle<T>(this.#transport, (body as { request: Request }).request, {
      isRemoval: this.#isRemoval,
    });
  }

  /** The id and the last event that was read. `gantry.requests.resume(text)` goes on from there, also in another process. */
  toString(): string {
    return this.#cursor ? `${this.id}#${this.#cursor}` : this.id;
  }

  toJSON(): Request {
    return this.#record;
  }

  /**
   * Reads events until the end, and then what `read` reads. Repeats both while Gantry cannot be reached. While events cannot be
   * read, each try asks for the Request itself.
   */
  async #atEnd<R>(options: DoneOptions, read: (signal: AbortSignal) => Promise<R>): Promise<R> {
    const { timeoutMs, signal, children, onEvent, onContact } = options;
    const timeout = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs);
    const stop = new AbortController();
    const ends = [signal, timeout].filter((each) => each !== undefined);
    const either = AbortSignal.any([...ends, stop.signal]);
    let lostSince: Date | undefined;
    let emptyStreams = 0;
    try {
      for (let failures = 0; ; failures++) {
        try {
          const after = this.#cursor;
          // A stream that goes on after the last event of a Request would wait forever.
          if (after || failures > 0)
            await this.refresh({ signal: either, wait: emptyStreams > 1 ? WAIT_S : 0, maxRetries: 0 });
          if (lostSince) onContact?.({ lost: false, since: new Date() });
          lostSince = undefined;
          if (this.#record.finished_at) await this.#readRest({ children, signal: either }, onEvent);
          else await this.#readEvents({ after, children, signal: either }, onEvent);
          if (this.#record.finished_at) return await read(either);
          emptyStreams = this.#cursor === after ? emptyStreams + 1 : 0;
          if (emptyStreams === 0) failures = 0;
        } catch (error) {
          // The Request can still be waited for: only its first events are gone.
          if (error instanceof EventsExpired && this.#cursor) this.#cursor = undefined;
          else if (either.aborted || !isPassing(error as GantryError)) throw error;
          lostSince ??= new Date();
          onContact?.({ lost: true, since: lostSince, reason: (error as Error).message });
        }
        await sleep(pauseBefore(Math.min(failures, 5)), either);
      }
    } catch (error) {
      if (timeout?.aborted && !signal?.aborted) throw new WaitTimeout(this.#record);
      throw error;
    } finally {
      stop.abort();
    }
  }

  /** Reads what is left of the events of a Request that has ended. */
  async #readRest({ children, signal }: StreamOptions, onEvent: DoneOptions["onEvent"]): Promise<void> {
    for (;;) {
      const { body } = await this.#send("GET", "/events", { signal, query: { after: this.#cursor, children } });
      const { events } = body as { events: GantryEvent[] };
      if (events.length === 0) return;
      for (const event of events) {
        this.#cursor = event.id;
        onEvent?.(event);
        if (this.#isEnd(event)) return;
      }
    }
  }

  /** Reads events until the end of the Request or of the connection. */
  async #readEvents(options: StreamOptions, onEvent: DoneOptions["onEvent"]): Promise<void> {
    const once = new AbortController();
    const signal = AbortSignal.any([once.signal, ...(options.signal ? [options.signal] : [])]);
    // Its own attempts would hide from the caller that the Request itself can be read.
    const onContact = ({ lost }: Contact) => lost && once.abort();
    for await (const event of this.events({ ...options, signal, onContact })) onEvent?.(event);
  }

  async #result(signal: AbortSignal | undefined): Promise<T> {
    const { resource } = this.#record;
    if (this.#isRemoval || !resource) return undefined as T;
    const [collection, id] = resource.split("/").slice(-2);
    const { body } = await this.#transport.send("GET", `/${collection}/${id}`, { signal });
    return Object.values(body as object)[0] as T;
  }

  async #failure(signal: AbortSignal | undefined): Promise<RequestFailed> {
    const [leaked, child] = await Promise.all([this.leaked({ signal }), this.children({ state: "failed" }).first()]);
    const Failure = this.state === "cancelled" ? RequestCancelled : RequestFailed;
    return new Failure(this.#record, this.#record.stage ?? null, child, leaked);
  }

  #send(method: string, path: string, call: Call) {
    return this.#transport.send(method, `/requests/${this.id}${path}`, call);
  }

  #isOwn({ subject }: GantryEvent): boolean {
    return subject.type === "request" && subject.id === this.id;
  }

  #isEnd(event: GantryEvent): boolean {
    return this.#isOwn(event) && ["request.finished", "request.failed", "request.cancelled"].includes(event.type);
  }
}

function isPassing(error: GantryError): boolean {
  return (
    error instanceof ConnectionLost || error instanceof Unavailable || [408, 429, 502, 504].includes(error.status ?? 0)
  );
}
