import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { RandomSource } from "./random-source.js";

const TIMEOUT_MS = 15_000;
const PAUSE_MS = 250;
/** Retries of a failed Request. */
const MAX_RETRIES = 8;

type Method = "GET" | "POST" | "PUT" | "DELETE";

export interface ApiRequest {
  id: string;
  type: string;
  finished_at: string | null;
  successful: boolean;
  message: string | null;
  resource: string | false;
}

/** A Request that the API has accepted, with the input and its key. */
export interface Accepted {
  requestId: string;
  key: string;
  input: string;
}

/** An answer with a status from 400 on that no repetition changes. */
export class Refused extends Error {}

/** Ends the tasks of all clients. Their resources stay. */
export class WorkloadStopped extends Error {}

/** A client of the API. Every input has its own idempotency key and is sent until the API answers. */
export class Client {
  /** The Requests that failed without a cancel. The client has retried them. */
  failures: string[] = [];

  /** @param onAccepted called with every accepted Request */
  constructor(
    private readonly urls: readonly string[],
    private readonly token: string,
    private readonly onAccepted: (accepted: Accepted) => void,
    readonly random: RandomSource,
    private readonly isStopped: () => boolean,
  ) {}

  /** Sends an input until the API answers it. @throws Refused */
  async send<T>(method: Method, path: string, body?: object): Promise<T> {
    if (this.isStopped()) throw new WorkloadStopped();
    const key = randomUUID();
    for (let attempt = this.random.between(0, 1); ; attempt++) {
      const url = `${this.urls[attempt % this.urls.length]}${path}`;
      const answer = await this.sendOnce(method, url, key, body);
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
   * Creates a resource, or cancels the create in `cancelPercent` of 100 cases. Returns the path of the created resource.
   */
  async create(path: string, body: object, cancelPercent = 12): Promise<string | undefined> {
    const { request } = await this.send<{ request: ApiRequest }>("POST", path, body);
    let isCancelled = false;
    if (this.random.percent(cancelPercent)) {
      await sleep(this.random.between(0, 3000));
      isCancelled = await this.isAllowed(this.send("POST", `/requests/${request.id}/cancel`));
    }
    let finished = await this.finished(request);
    if (isCancelled && finished.successful) throw new Error(`${request.id} succeeded after its cancel was accepted`);
    if (isCancelled && !finished.successful && this.random.percent(50)) return undefined;
    for (let attempt = 0; !finished.successful && attempt < MAX_RETRIES; attempt++) {
      if (finished.message !== "Cancelled") this.failures.push(`${finished.type}: ${finished.message}`);
      const retry = this.send<{ request: ApiRequest }>("POST", `/requests/${finished.id}/retry`);
      if (!(await this.isAllowed(retry))) return undefined;
      finished = await this.finished((await retry).request);
    }
    if (!finished.successful || !finished.resource)
      throw new Error(`${path} failed ${MAX_RETRIES} times: ${finished.message}`);
    return new URL(finished.resource).pathname;
  }

  /** Changes a resource; repeats the change until it succeeds. */
  async change(method: "POST" | "PUT" | "DELETE", path: string, body?: object): Promise<void> {
    let message: string | null = null;
    for (let attempt = 0; attempt < MAX_RETRIES; attempt++) {
      const sent = this.send<{ request: ApiRequest }>(method, path, body);
      // A removal that failed after its last step has removed the record: a repeated one answers 409.
      if (method === "DELETE" && attempt > 0 && !(await this.isAllowed(sent))) return;
      const finished = await this.finished((await sent).request);
      if (finished.successful) return;
      message = finished.message;
      this.failures.push(`${finished.type}: ${message}`);
    }
    throw new Error(`${method} ${path} failed ${MAX_RETRIES} times: ${message}`);
  }

  remove(path: string): Promise<void> {
    return this.change("DELETE", path);
  }

  private async finished({ id }: ApiRequest): Promise<ApiRequest> {
    for (;;) {
      const { request } = await this.send<{ request: ApiRequest }>("GET", `/requests/${id}?wait=10`);
      if (request.finished_at) return request;
    }
  }

  /** False if the API answers 409: nothing to cancel or to retry. */
  private async isAllowed(sent: Promise<unknown>): Promise<boolean> {
    try {
      await sent;
      return true;
    } catch (error) {
      if (error instanceof Refused && error.message.includes(" answered 409")) return false;
      throw error;
    }
  }

  private async sendOnce(method: Method, url: string, key: string, body?: object) {
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
