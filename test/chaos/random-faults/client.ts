import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { RandomSource } from "./random-source.js";

const TIMEOUT_MS = 15_000;
const PAUSE_MS = 250;
/** How often a customer asks again for what has failed. */
const RETRIES = 8;

type Method = "GET" | "POST" | "PUT" | "DELETE";

/** A Request as the API shows it. */
export interface ApiRequest {
  id: string;
  type: string;
  finished_at: string | null;
  successful: boolean;
  message: string | null;
  resource: string | false;
}

/** What the API has promised to do. */
export interface Accepted {
  requestId: string;
  key: string;
  input: string;
}

/** An answer that says no. */
export class Refused extends Error {}

/** The campaign is over: what stands may stay. */
export class WorkloadStopped extends Error {}

/** Uses the API as a careful customer does: every input has a key of its own, and is sent until it was answered. */
export class Client {
  /** What failed, though nobody had cancelled it, and was asked for again. */
  failures: string[] = [];

  /** @param onAccepted takes note of every Request that was accepted */
  constructor(
    private readonly urls: readonly string[],
    private readonly token: string,
    private readonly onAccepted: (accepted: Accepted) => void,
    readonly random: RandomSource,
    private readonly isStopped: () => boolean,
  ) {}

  /** Sends an input until an answer comes. @throws Refused where it is a no */
  async send<T>(method: Method, path: string, body?: object): Promise<T> {
    if (this.isStopped()) throw new WorkloadStopped();
    const key = randomUUID();
    for (let tries = this.random.between(0, 1); ; tries++) {
      const url = `${this.urls[tries % this.urls.length]}${path}`;
      const answer = await this.attempt(method, url, key, body);
      if (!answer || answer.status >= 500 || answer.status === 429) {
        await sleep(PAUSE_MS);
        continue;
      }
      if (answer.status >= 400) throw new Refused(`${method} ${path} answered ${answer.status}: ${answer.text}`);
      const reply = JSON.parse(answer.text || "{}");
      const requestId = method !== "GET" && reply.request?.id;
      if (requestId) this.onAccepted({ requestId, key, input: `${method} ${path}` });
      return reply;
    }
  }

  /**
   * Has something made, and changes its mind so often in a hundred. Gives the path of what the Request was for, if it
   * was made.
   */
  async create(path: string, body: object, fickle = 12): Promise<string | undefined> {
    const { request } = await this.send<{ request: ApiRequest }>("POST", path, body);
    let isCancelled = false;
    if (this.random.percent(fickle)) {
      await sleep(this.random.between(0, 3000));
      isCancelled = await this.isAllowed(this.send("POST", `/requests/${request.id}/cancel`));
    }
    let finished = await this.ended(request);
    if (isCancelled && finished.successful) throw new Error(`${request.id} succeeded after its cancel was accepted`);
    if (isCancelled && !finished.successful && this.random.percent(50)) return undefined;
    for (let tries = 0; !finished.successful && tries < RETRIES; tries++) {
      if (finished.message !== "Cancelled") this.failures.push(`${finished.type}: ${finished.message}`);
      const again = this.send<{ request: ApiRequest }>("POST", `/requests/${finished.id}/retry`);
      if (!(await this.isAllowed(again))) return undefined;
      finished = await this.ended((await again).request);
    }
    if (!finished.successful || !finished.resource)
      throw new Error(`${path} failed again and again: ${finished.message}`);
    return new URL(finished.resource).pathname;
  }

  /** Has something done to what was made, until it succeeds. */
  async change(method: "POST" | "PUT" | "DELETE", path: string, body?: object): Promise<void> {
    let message: string | null = null;
    for (let tries = 0; tries < RETRIES; tries++) {
      const { request } = await this.send<{ request: ApiRequest }>(method, path, body);
      const ended = await this.ended(request);
      if (ended.successful) return;
      message = ended.message;
      this.failures.push(`${ended.type}: ${message}`);
    }
    throw new Error(`${method} ${path} failed again and again: ${message}`);
  }

  remove(path: string): Promise<void> {
    return this.change("DELETE", path);
  }

  private async ended({ id }: ApiRequest): Promise<ApiRequest> {
    for (;;) {
      const { request } = await this.send<{ request: ApiRequest }>("GET", `/requests/${id}?wait=10`);
      if (request.finished_at) return request;
    }
  }

  /** False where the API says that there is nothing to cancel, or to retry. */
  private async isAllowed(asked: Promise<unknown>): Promise<boolean> {
    try {
      await asked;
      return true;
    } catch (error) {
      if (error instanceof Refused && error.message.includes(" answered 409")) return false;
      throw error;
    }
  }

  private async attempt(method: Method, url: string, key: string, body?: object) {
    const headers = {
      Authorization: `Bearer ${this.token}`,
      "Content-Type": "application/json",
      ...(method !== "GET" && { "Idempotency-Key": key }),
    };
    try {
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      const reply = await fetch(url, { method, headers, signal, ...(body && { body: JSON.stringify(body) }) });
      return { status: reply.status, text: await reply.text() };
    } catch {
      return undefined;
    }
  }
}
