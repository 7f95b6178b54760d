import { createParser } from "eventsource-parser";
import { GantryError, Unavailable } from "./errors.js";
import type { Event } from "./generated/schemas.js";
import { pauseBefore, sleep, type Transport } from "./transport.js";

/** An event of an account, as `docs/events.md` describes it. */
export type GantryEvent = Event;

export interface StreamOptions {
  /** The id of the last event that was read, or `now`; all events that are kept by default. */
  after?: string | undefined;
  /** Only events of these types. */
  types?: readonly Event["type"][] | undefined;
  /** Only events of one record, such as `server/3`. */
  subject?: string | undefined;
  /** Also the events of a Request's children. */
  children?: boolean | undefined;
  /** Ends the stream. */
  signal?: AbortSignal | undefined;
  /** Called when the connection is lost, and when it is there again. */
  onContact?: ((contact: Contact) => void) | undefined;
}

export interface Contact {
  lost: boolean;
  since: Date;
  /** Why it was lost. */
  reason?: string | undefined;
}

/** The API sends a comment after 15 seconds without an event. */
const SILENCE_MS = 40_000;

/**
 * The events of an account or of a Request, in their order, none twice and none missing. It connects again whenever the
 * connection is lost, and continues after the last event that was read.
 */
export class EventStream implements AsyncIterable<GantryEvent> {
  readonly #transport: Transport;
  readonly #path: string;
  readonly #options: StreamOptions;
  readonly #end = new AbortController();
  #cursor: string | undefined;
  #failures = 0;

  constructor(transport: Transport, path: string, options: StreamOptions = {}) {
    this.#transport = transport;
    this.#path = path;
    this.#options = options;
    this.#cursor = options.after;
    if (options.signal?.aborted) this.close();
    options.signal?.addEventListener("abort", () => this.close(), { once: true, signal: this.#end.signal });
  }

  /** The id after which the stream goes on. */
  get cursor(): string | undefined {
    return this.#cursor;
  }

  close(): void {
    this.#end.abort();
  }

  /**
   * @throws EventsExpired if the events after the cursor are gone, and any GantryError after which another attempt would end the same way
   */
  async *[Symbol.asyncIterator](): AsyncGenerator<GantryEvent> {
    const { signal } = this.#end;
    let lostSince: Date | undefined;
    try {
      while (!signal.aborted) {
        try {
          for await (const part of this.#read()) {
            if (lostSince) this.#options.onContact?.({ lost: false, since: new Date() });
            lostSince = undefined;
            this.#failures = 0;
            if (part) yield part;
          }
        } catch (error) {
          if (signal.aborted) return;
          if (error instanceof GantryError && !isPassing(error)) throw error;
          this.#failures++;
          lostSince ??= new Date();
          this.#options.onContact?.({ lost: true, since: lostSince, reason: (error as Error).message });
          await sleep(pauseBefore(this.#failures, error as GantryError), signal).catch(() => {});
        }
      }
    } finally {
      this.close();
    }
  }

  /** Reads one connection to its end; undefined stands for a sign of life that is no event. */
  async *#read(): AsyncGenerator<GantryEvent | undefined> {
    const connection = new AbortController();
    const signal = AbortSignal.any([this.#end.signal, connection.signal]);
    // No time runs while the caller is busy with an event, or has left without asking for the next.
    const heard = async <T>(sign: Promise<T>): Promise<T> => {
      const silence = setTimeout(() => connection.abort(new Error("the connection is silent")), SILENCE_MS);
      return sign.finally(() => clearTimeout(silence));
    };
    try {
      const { types, subject, children } = this.#options;
      const query = { after: this.#cursor, type: types, subject, children };
      const url = this.#transport.urlOf(this.#path, query);
      const response = await heard(this.#transport.open(url, { Accept: "text/event-stream" }, signal));
      yield undefined;
      const parts: (string | GantryEvent)[] = [];
      const parser = createParser({
        // A cursor may also come without an event, after those that the filter left out.
        onId: (cursor) => parts.push(cursor),
        onEvent: ({ data }) => parts.push(JSON.parse(data) as GantryEvent),
      });
      const decoder = new TextDecoder();
      // Safari cannot iterate over a body.
      const reader = response.body?.getReader();
      for (;;) {
        const { done, value } = (await (reader && heard(reader.read()))) ?? { done: true };
        if (done) return;
        parser.feed(decoder.decode(value, { stream: true }));
        for (const part of parts.splice(0)) {
          if (typeof part === "string") this.#cursor = part;
          else yield part;
        }
      }
    } finally {
      connection.abort();
    }
  }
}

function isPassing(error: GantryError): boolean {
  return error instanceof Unavailable || [408, 429, 502, 504].includes(error.status ?? 0);
}
