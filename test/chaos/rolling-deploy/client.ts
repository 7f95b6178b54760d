import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";

export interface FinishedRequest {
  id: string;
  type: string;
  finished_at: string | null;
  successful: boolean;
  message: string | null;
  resource: string;
}

/** How long a client tries again before it gives up, in milliseconds. */
const RETRY_MS = 30_000;

/** Talks to the API as a careful client does: what breaks is sent again, under the same Idempotency-Key. */
export class Client {
  /** The Requests that it was told of, by the key that it sent. */
  readonly accepted = new Map<string, string>();
  /** Calls that were sent again since their connection broke. */
  resends = 0;

  constructor(
    private readonly url: string,
    private readonly token: string,
  ) {}

  /** Asks for work and waits until it has ended well. */
  async complete(method: "POST" | "DELETE", path: string, body: object = {}): Promise<FinishedRequest> {
    const key = randomUUID();
    const { request } = await this.send<{ request: FinishedRequest }>(method, path, body, key);
    this.accepted.set(key, request.id);
    for (;;) {
      const { request: now } = await this.send<{ request: FinishedRequest }>("GET", `/requests/${request.id}?wait=10`);
      if (!now.finished_at) continue;
      if (!now.successful) throw new Error(`the Request ${now.id} (${now.type}) failed: ${now.message}`);
      return now;
    }
  }

  async send<T>(method: string, path: string, body?: object, key: string = randomUUID()): Promise<T> {
    const headers = {
      authorization: `Bearer ${this.token}`,
      ...(body && { "content-type": "application/json", "idempotency-key": key }),
    };
    const until = Date.now() + RETRY_MS;
    for (;;) {
      try {
        const reply = await fetch(this.url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
        const text = await reply.text();
        if (!reply.ok) throw new Refused(`${method} ${path} answered ${reply.status}: ${text}`);
        return JSON.parse(text) as T;
      } catch (error) {
        if (error instanceof Refused || Date.now() > until) throw error;
        this.resends++;
        await sleep(50);
      }
    }
  }
}

/** An answer that is not what was asked for; only a broken connection is tried again. */
class Refused extends Error {}
