import { EventSourceParserStream } from "eventsource-parser/stream";

/** An event as readers get it. */
export interface ReadEvent {
  id: string;
  type: string;
  created_at: string;
  subject: { type: string; id: string | number; url: string };
  request: string | null;
  message: string | null;
  // biome-ignore lint/suspicious/noExplicitAny: a record has the shape that the test expects of it.
  record: any;
}

/** An open stream of server-sent events. */
export interface EventStream {
  status: number;
  headers: Headers;
  events: AsyncIterableIterator<ReadEvent>;
  /** Leaves the stream; `events` ends. */
  cut(): void;
}

/** Opens the stream at a URL, after the event with the id `lastEventId`. */
export async function openEventStream(url: string, token: string, lastEventId?: string): Promise<EventStream> {
  const cut = new AbortController();
  const headers = {
    Authorization: `Bearer ${token}`,
    Accept: "text/event-stream",
    ...(lastEventId !== undefined && { "Last-Event-ID": lastEventId }),
  };
  const answer = await fetch(url, { headers, signal: cut.signal });
  return { status: answer.status, headers: answer.headers, events: eventsOf(answer), cut: () => cut.abort() };
}

async function* eventsOf({ body }: Response): AsyncIterableIterator<ReadEvent> {
  if (!body) return;
  const messages = body.pipeThrough(new TextDecoderStream() as never).pipeThrough(new EventSourceParserStream());
  try {
    for await (const { data } of messages as unknown as AsyncIterable<{ data: string }>) yield JSON.parse(data);
  } catch (error) {
    // A reader that leaves, and a server that dies, cut the stream.
    if (!["AbortError", "TypeError"].includes((error as Error).name)) throw error;
  }
}

/** The first `count` events of a stream, which is then left. */
export async function take({ events, cut }: EventStream, count: number): Promise<ReadEvent[]> {
  const taken: ReadEvent[] = [];
  for await (const event of events) {
    taken.push(event);
    if (taken.length === count) break;
  }
  cut();
  return taken;
}
