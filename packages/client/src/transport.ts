import { ConnectionLost, errorOf, type GantryError, TimedOut } from "./errors.js";
import { version } from "./generated/routes.js";

/** What was sent and how it ended; never a header or a body. */
export interface CallRecord {
  method: string;
  path: string;
  /** Undefined if no response arrived. */
  status: number | undefined;
  ms: number;
  /** 1 for the first. */
  attempt: number;
  traceId: string | undefined;
}

export interface TransportOptions {
  /** The address of the API; the environment variable `GANTRY_URL` by default. */
  baseUrl?: string | undefined;
  /** The token, or a function that returns it before each call; the environment variable `GANTRY_TOKEN` by default. */
  token?: string | (() => string | Promise<string>) | undefined;
  fetch?: typeof globalThis.fetch | undefined;
  /** How often a call is repeated that was lost or refused for the moment; 4 by default. */
  maxRetries?: number | undefined;
  /** Milliseconds to wait for a response; 30,000 by default. */
  timeoutMs?: number | undefined;
  /** Put before the client's own name in the header `User-Agent`. */
  userAgent?: string | undefined;
  /** Called after each attempt. */
  onCall?: ((call: CallRecord) => void) | undefined;
}

export interface CallOptions {
  /** Ends the waiting, not the work. */
  signal?: AbortSignal | undefined;
  /** The key of a change; each call has one of its own by default. */
  idempotencyKey?: string | undefined;
  maxRetries?: number | undefined;
  timeoutMs?: number | undefined;
  /** Why a staff member acts in another account. */
  reason?: string | undefined;
  headers?: Record<string, string> | undefined;
}

export interface Call extends CallOptions {
  query?: Readonly<Record<string, unknown>> | undefined;
  body?: unknown;
}

export interface Reply {
  /** The parsed JSON, the text of any other body, or undefined. */
  body: unknown;
  response: Response;
}

const MAX_RETRIES = 4;
const TIMEOUT_MS = 30_000;
const LONGEST_RETRY_AFTER_S = 60;

/** Sends calls to the API, and repeats those that were lost or refused for the moment. */
export class Transport {
  readonly #options: TransportOptions;
  readonly #baseUrl: string;

  constructor(options: TransportOptions) {
    const { env } = (globalThis as { process?: { env: Record<string, string | undefined> } }).process ?? { env: {} };
    const { baseUrl = env.GANTRY_URL, token = env.GANTRY_TOKEN } = options;
    if (!baseUrl) throw new TypeError("Set baseUrl, or the environment variable GANTRY_URL.");
    this.#baseUrl = new URL(baseUrl).href.replace(/\/+$/, "");
    this.#options = { ...options, token };
  }

  /** The address of a path; a URL of the API stays as it is. A null is a bare parameter: records without a value. */
  urlOf(path: string, query: Call["query"] = {}): URL {
    const url = new URL(`${this.#baseUrl}${path}`);
    for (const [name, value] of Object.entries(query))
      for (const one of Array.isArray(value) ? value : [value])
        if (one !== undefined && one !== null) url.searchParams.append(name, String(one));
    // URLSearchParams would write `name=`, which is an empty text.
    const bare = Object.keys(query).filter((name) => query[name] === null);
    if (bare.length > 0) url.search = [...(url.search ? [url.search.slice(1)] : []), ...bare].join("&");
    return url;
  }

  /**
   * Sends a call until a response arrives that is final: at most `maxRetries` times more after a lost connection, 408,
   * 429, 503, or a 409 because the first attempt is still running. Every attempt of a change has the same key.
   *
   * @throws a GantryError, or the reason of `signal`
   */
  async send(method: string, path: string, call: Call = {}): Promise<Reply> {
    const { maxRetries = this.#options.maxRetries ?? MAX_RETRIES, signal } = call;
    const idempotencyKey = method === "GET" ? undefined : (call.idempotencyKey ?? crypto.randomUUID());
    const url = this.urlOf(path, call.query);
    for (let attempt = 1; ; attempt++) {
      const outcome = await this.#attempt(method, url, { ...call, idempotencyKey }, attempt);
      if ("response" in outcome) return outcome;
      if (attempt > maxRetries || !mayRepeat(outcome)) throw outcome;
      await sleep(pauseBefore(attempt, outcome), signal);
    }
  }

  /** Opens a response whose body is read by the caller, once and without a limit of time. */
  async open(url: URL, headers: Record<string, string>, signal: AbortSignal): Promise<Response> {
    const request = { method: "GET", headers: { ...(await this.#headers({})), ...headers }, signal };
    const response = await this.#fetch(url, request);
    if (response.ok) return response;
    throw errorOf(response.status, await bodyOf(response), factsOf(response));
  }

  async #attempt(method: string, url: URL, call: Call, attempt: number): Promise<Reply | GantryError> {
    const { body, signal, idempotencyKey, timeoutMs = this.#options.timeoutMs ?? TIMEOUT_MS } = call;
    const start = performance.now();
    const timeout = AbortSignal.timeout(timeoutMs);
    const facts = { attempts: attempt, idempotencyKey };
    let response: Response | undefined;
    try {
      response = await this.#fetch(url, {
        method,
        headers: await this.#headers(call),
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      });
      const answer = await bodyOf(response);
      if (response.ok) return { body: answer, response };
      return errorOf(response.status, answer, { ...facts, ...factsOf(response) });
    } catch (cause) {
      if (signal?.aborted) throw signal.reason;
      const at = `${url.origin}${url.pathname}`;
      if (timeout.aborted)
        return new TimedOut(`no response from ${at} in ${timeoutMs / 1000} s`, { ...facts, code: "timed_out" });
      return new ConnectionLost(`no response from ${at}: ${reasonOf(cause)}`, {
        ...facts,
        code: "connection_lost",
        cause,
      });
    } finally {
      const traceId = response?.headers.get("X-Trace-Id") ?? undefined;
      const ms = performance.now() - start;
      this.#options.onCall?.({ method, path: url.pathname, status: response?.status, ms, attempt, traceId });
    }
  }

  #fetch(url: URL, init: RequestInit): Promise<Response> {
    return (this.#options.fetch ?? globalThis.fetch)(url, init);
  }

  async #headers({ body, idempotencyKey, reason, headers }: Call): Promise<Record<string, string>> {
    const { token, userAgent } = this.#options;
    const text = typeof token === "function" ? await token() : token;
    return {
      "User-Agent": [userAgent, `gantry-client/${version}`].filter(Boolean).join(" "),
      ...(text && { Authorization: `Bearer ${text}` }),
      ...(body !== undefined && { "Content-Type": "application/json" }),
      ...(idempotencyKey && { "Idempotency-Key": idempotencyKey }),
      ...(reason && { "Gantry-Reason": reason }),
      ...headers,
    };
  }

  /** Shows no token in logs. */
  toJSON(): object {
    return { baseUrl: this.#baseUrl };
  }
}

/** Resolves after some milliseconds, or rejects with the reason of `signal`. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", end);
      resolve();
    }, ms);
    if (signal?.aborted) end();
    else signal?.addEventListener("abort", end, { once: true });
  });
}

/** Milliseconds before the next attempt: as the response says, or growing and random, so that clients do not meet. */
export function pauseBefore(attempt: number, { retryAfter }: { retryAfter?: number | undefined } = {}): number {
  if (retryAfter !== undefined && retryAfter <= LONGEST_RETRY_AFTER_S) return retryAfter * 1000;
  return Math.random() * Math.min(8000, 250 * 2 ** attempt);
}

function mayRepeat(error: GantryError): boolean {
  if (error.code === "too_many_open_requests" || (error.retryAfter ?? 0) > LONGEST_RETRY_AFTER_S) return false;
  return (
    error instanceof ConnectionLost ||
    [408, 429, 503].includes(error.status ?? 0) ||
    error.code === "idempotency_key_in_progress"
  );
}

async function bodyOf(response: Response): Promise<unknown> {
  const text = await response.text();
  const type = response.headers.get("Content-Type") ?? "";
  if (/^application\/([\w.-]+\+)?json(;|$)/.test(type)) return text ? JSON.parse(text) : undefined;
  return text || (type ? "" : undefined);
}

/** What the headers of a refusal say. */
function factsOf({ headers }: Response): { retryAfter: number | undefined; apiVersion: string | undefined } {
  const seconds = Number(headers.get("Retry-After") ?? Number.NaN);
  return {
    retryAfter: Number.isFinite(seconds) ? seconds : undefined,
    apiVersion: headers.get("Gantry-Version") ?? undefined,
  };
}

/** Node hides why a connection failed in the cause. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as Error;
  const { code, message: inner } = (cause ?? {}) as { code?: string; message?: string };
  return code ?? (inner || message);
}
