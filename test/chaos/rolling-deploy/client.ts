import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";

export interface ApiRequest {
  id: string;
  type: string;
  finished_at: string | null;
  successful: boolean;
  message: string | null;
  resource: string;
}

/** The time limit of the repetitions. */
const RETRY_MS = 30_000;

/** A client of the API. It repeats an input whose connection broke with the same Idempotency-Key. */
export class Client {
  /** The accepted Requests, by idempotency key. */
  readonly accepted = new Map<string, string>();
  /** The number of repeated calls. */
  resends = 0;

  constructor(
    private readonly url: string,
    private readonly token: string,
  ) {}

  /** Creates a Request and waits until it has succeeded. */
  async complete(method: "POST" | "PUT" | "DELETE", path: string, body: object = {}): Promise<ApiRequest> {
    const key = randomUUID();
    const { request } = await this.send<{ request: ApiRequest }>(method, path, body, key);
    this.accepted.set(key, request.id);
    for (;;) {
      const { request: current } = await this.send<{ request: ApiRequest }>("GET", `/requests/${request.id}?wait=10`);
      if (!current.finished_at) continue;
      if (!current.successful) throw new Error(`Request ${current.id} (${current.type}) failed: ${current.message}`);
      return current;
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

/** An answer with an error status, which is not repeated. */
class Refused extends Error {}
