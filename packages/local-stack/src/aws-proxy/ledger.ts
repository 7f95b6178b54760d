import { appendFile } from "node:fs/promises";
import type { Call } from "./call.js";

/** How a call ended. `lost`: done, but the caller never heard; `abandoned`: the caller hung up before the answer. */
export type Outcome =
  | "running"
  | "answered"
  | "refused"
  | "throttled"
  | "reset"
  | "hung"
  | "lost"
  | "abandoned"
  | "unreachable";

/** One call as the ledger keeps it; a retry by the SDK is a call of its own. */
export interface LedgerEntry {
  seq: number;
  /** ISO 8601, when it arrived. */
  at: string;
  accountId: string;
  accessKeyId: string;
  service: string;
  region: string;
  action: string;
  /** Flat, as the Query protocol writes them, without secrets. */
  params: Record<string, string>;
  outcome: Outcome;
  status?: number;
  errorCode?: string;
  /** The request's `traceparent` header. */
  trace?: string;
  /** The SDK's `amz-sdk-request` header: `attempt=2; max=3`. */
  attempt?: string;
  /** The caller's `AWS_SDK_UA_APP_ID`, which tells processes apart. */
  app?: string;
  /** The SDK's id of the call, the same for all its attempts. */
  invocation?: string;
  durationMs?: number;
}

export interface LedgerFilter {
  accessKeyId?: string | undefined;
  accountId?: string | undefined;
  service?: string | undefined;
  action?: string | undefined;
  outcome?: Outcome | undefined;
  /** Only entries with a greater `seq`. */
  since?: number | undefined;
}

const KEPT = 200_000;
const SECRET = /password|secret|sessiontoken|userdata|privatekey|WebIdentityToken/i;

/** Append-only record of every call, in order of arrival. */
export class Ledger {
  private entries: LedgerEntry[] = [];
  private seq = 0;
  private written = Promise.resolve();

  constructor(private readonly file?: string | undefined) {}

  open({ service, region, action, accessKeyId, params, headers }: Call, accountId: string): LedgerEntry {
    const entry: LedgerEntry = {
      seq: ++this.seq,
      at: new Date().toISOString(),
      ...{ accountId, accessKeyId, service, region, action },
      params: withoutSecrets(params),
      outcome: "running",
      ...named("trace", headers.traceparent),
      ...named("app", /\bapp\/(\S+)/.exec(headers["user-agent"] ?? "")?.[1]),
      ...named("attempt", headers["amz-sdk-request"]),
      ...named("invocation", headers["amz-sdk-invocation-id"]),
    };
    this.entries.push(entry);
    if (this.entries.length > KEPT) this.entries = this.entries.slice(KEPT / 10);
    return entry;
  }

  close(entry: LedgerEntry, ending: Pick<LedgerEntry, "outcome" | "status" | "errorCode">): void {
    Object.assign(entry, ending, { durationMs: Date.now() - Date.parse(entry.at) });
    const { file } = this;
    if (file)
      this.written = this.written.then(() => appendFile(file, `${JSON.stringify(entry)}\n`)).catch(() => undefined);
  }

  find({ accessKeyId, accountId, service, action, outcome, since = 0 }: LedgerFilter): LedgerEntry[] {
    return this.entries.filter(
      (entry) =>
        entry.seq > since &&
        (!accessKeyId || entry.accessKeyId === accessKeyId) &&
        (!accountId || entry.accountId === accountId) &&
        (!service || entry.service === service) &&
        (!action || entry.action === action) &&
        (!outcome || entry.outcome === outcome),
    );
  }
}

function withoutSecrets(params: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(params)
      .filter(([name]) => name !== "Action" && name !== "Version")
      .map(([name, value]) => [name, SECRET.test(name) ? "(removed)" : value]),
  );
}

function named(name: string, value: string | string[] | undefined): Record<string, string> {
  return typeof value === "string" ? { [name]: value } : {};
}
