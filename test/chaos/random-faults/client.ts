import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Dice } from "./random-source.js";

const PATIENCE_MS = 15_000;
const PAUSE_MS = 250;
/** How often a customer asks again for what has failed. */
const RETRIES = 8;

type Method = "GET" | "POST" | "PUT" | "DELETE";

/** A Request as the API shows it. */
export interface Shown {
  id: string;
  type: string;
  finished_at: string | null;
  successful: boolean;
  message: string | null;
  resource: string | false;
}

/** What the API has promised to do. */
export interface Promised {
  requestId: string;
  key: string;
  asked: string;
}

/** An answer that says no. */
export class Refused extends Error {}

/** The campaign is over: what stands may stay. */
export class Over extends Error {}

/** Uses the API as a careful customer does: every input has a key of its own, and is sent until it was answered. */
export class Customer {
  /** What failed, though nobody had cancelled it, and was asked for again. */
  failures: string[] = [];

  /** @param promised takes note of every Request that was accepted */
  constructor(
    private readonly urls: readonly string[],
    private readonly token: string,
    private readonly promised: (accepted: Promised) => void,
    readonly dice: Dice,
    private readonly isOver: () => boolean,
  ) {}

  /** Sends an input until an answer comes. @throws Refused where it is a no */
  async send<T>(method: Method, path: string, body?: object): Promise<T> {
    if (this.isOver()) throw new Over();
    const key = randomUUID();
    for (let tries = this.dice.between(0, 1); ; tries++) {
      const url = `${this.urls[tries % this.urls.length]}${path}`;
      const answer = await this.attempt(method, url, key, body);
      if (!answer || answer.status >= 500 || answer.status === 429) {
        await sleep(PAUSE_MS);
        continue;
      }
      if (answer.status >= 400) throw new Refused(`${method} ${path} answered ${answer.status}: ${answer.text}`);
      const reply = JSON.parse(answer.text || "{}");
      const requestId = method !== "GET" && reply.request?.id;
      if (requestId) this.promised({ requestId, key, asked: `${method} ${path}` });
      return reply;
    }
  }

  /**
   * Has something made, and changes its mind so often in a hundred. Gives the path of what the Request was for, if it
   * was made.
   */
  async make(path: string, body: object, fickle = 12): Promise<string | undefined> {
    const { request } = await this.send<{ request: Shown }>("POST", path, body);
    let isCancelled = false;
    if (this.dice.percent(fickle)) {
      await sleep(this.dice.between(0, 3000));
      isCancelled = await this.allowed(this.send("POST", `/requests/${request.id}/cancel`));
    }
    let ended = await this.ended(request);
    if (isCancelled && ended.successful) throw new Error(`${request.id} succeeded after its cancel was accepted`);
    if (isCancelled && !ended.successful && this.dice.percent(50)) return undefined;
    for (let tries = 0; !ended.successful && tries < RETRIES; tries++) {
      if (ended.message !== "Cancelled") this.failures.push(`${ended.type}: ${ended.message}`);
      const again = this.send<{ request: Shown }>("POST", `/requests/${ended.id}/retry`);
      if (!(await this.allowed(again))) return undefined;
      ended = await this.ended((await again).request);
    }
    if (!ended.successful || !ended.resource) throw new Error(`${path} failed again and again: ${ended.message}`);
    return new URL(ended.resource).pathname;
  }

  /** Has something done to what was made, until it succeeds. */
  async change(method: "POST" | "PUT" | "DELETE", path: string, body?: object): Promise<void> {
    let message: string | null = null;
    for (let tries = 0; tries < RETRIES; tries++) {
      const { request } = await this.send<{ request: Shown }>(method, path, body);
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

  private async ended({ id }: Shown): Promise<Shown> {
    for (;;) {
      const { request } = await this.send<{ request: Shown }>("GET", `/requests/${id}?wait=10`);
      if (request.finished_at) return request;
    }
  }

  /** False where the API says that there is nothing to cancel, or to retry. */
  private async allowed(asked: Promise<unknown>): Promise<boolean> {
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
      const signal = AbortSignal.timeout(PATIENCE_MS);
      const reply = await fetch(url, { method, headers, signal, ...(body && { body: JSON.stringify(body) }) });
      return { status: reply.status, text: await reply.text() };
    } catch {
      return undefined;
    }
  }
}
