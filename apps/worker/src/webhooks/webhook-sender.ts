import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import type { LookupFunction } from "node:net";
import { AddressGuard, AddressRefused } from "@gantry/runtime";
import { NameNotResolved, nameLookup } from "./name-lookup.js";

const TIMEOUT_MS = 5000;
const MAX_ANSWER_BYTES = 1024;

/** What a webhook answered. */
export interface SentWebhook {
  /** Absent if there was no answer. */
  status?: number;
  /** The first KiB of the answer's body. */
  answer?: string;
  /** Why there was no answer. */
  error?: string;
  durationMs: number;
}

/** Sends webhooks: to public addresses and those that are allowed, without following redirects, for five seconds at most. */
export class WebhookSender {
  private readonly agents = { http: new HttpAgent({ keepAlive: true }), https: new HttpsAgent({ keepAlive: true }) };
  private readonly guard: AddressGuard;
  private readonly lookup: LookupFunction;
  private readonly timeoutMs: number;

  /**
   * @param privateBlocks the blocks of private addresses that are allowed
   * @param lookup how names become addresses
   * @param timeoutMs how long it waits for an answer
   */
  constructor(
    privateBlocks: readonly string[],
    { lookup = nameLookup(), timeoutMs = TIMEOUT_MS }: { lookup?: LookupFunction; timeoutMs?: number } = {},
  ) {
    this.guard = new AddressGuard(privateBlocks);
    this.lookup = this.guard.guard(lookup);
    this.timeoutMs = timeoutMs;
  }

  /** Posts a body; a failure is part of what it returns. */
  async post(url: string, headers: Record<string, string>, body: string): Promise<SentWebhook> {
    const start = performance.now();
    const durationMs = () => Math.round(performance.now() - start);
    try {
      const response = await this.open(url, headers, body);
      const answer = await firstBytes(response);
      return { status: response.statusCode ?? 0, answer, durationMs: durationMs() };
    } catch (error) {
      return { error: this.sentenceOf(error), durationMs: durationMs() };
    }
  }

  /** Closes idle connections. */
  close(): void {
    for (const agent of Object.values(this.agents)) agent.destroy();
  }

  private async open(url: string, headers: Record<string, string>, body: string): Promise<IncomingMessage> {
    // A connection to an address looks nothing up.
    if (this.guard.refusesUrl(url)) throw new AddressRefused();
    const signal = AbortSignal.timeout(this.timeoutMs);
    const { sent, response } = this.send(url, headers, body, signal);
    return response.catch((error: NodeJS.ErrnoException) => {
      // The receiver closed a connection that was kept from an earlier delivery; it has not seen this delivery.
      if (!sent.reusedSocket || error.code !== "ECONNRESET") throw error;
      return this.send(url, headers, body, signal).response;
    });
  }

  private send(
    url: string,
    headers: Record<string, string>,
    body: string,
    signal: AbortSignal,
  ): { sent: ClientRequest; response: Promise<IncomingMessage> } {
    const isHttps = new URL(url).protocol === "https:";
    const agent = isHttps ? this.agents.https : this.agents.http;
    const length = String(Buffer.byteLength(body));
    const options = {
      method: "POST",
      headers: { ...headers, "Content-Length": length },
      agent,
      signal,
      lookup: this.lookup,
    };
    const sent = isHttps ? httpsRequest(url, options) : httpRequest(url, options);
    const response = new Promise<IncomingMessage>((resolve, reject) => {
      sent.on("response", resolve).on("error", reject);
    });
    sent.end(body);
    return { sent, response };
  }

  private sentenceOf(error: unknown): string {
    const { name, message, code } = error as NodeJS.ErrnoException;
    if (name === "AbortError" || name === "TimeoutError")
      return `there was no response within ${this.timeoutMs / 1000} s`;
    if (error instanceof NameNotResolved) return message;
    if (error instanceof AddressRefused)
      return "the address is private or reserved, and Gantry does not call such addresses";
    return `the call failed: ${code ?? message}`;
  }
}

/** The status counts even if the body is incomplete. */
async function firstBytes(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of response) {
      chunks.push(chunk as Buffer);
      size += (chunk as Buffer).length;
      if (size >= MAX_ANSWER_BYTES) break;
    }
  } catch {
    response.destroy();
  }
  // PostgreSQL keeps no NUL in a text.
  return Buffer.concat(chunks).subarray(0, MAX_ANSWER_BYTES).toString("utf8").replaceAll("\0", "�");
}
