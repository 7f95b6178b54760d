import { appendFile } from "node:fs/promises";
import type { Call } from "./call.js";

/** How a call ended. `lost`: done, but the caller never heard; `abandoned`: the caller hung up before the answer. */
export type CallOutcome =
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
export interface LoggedCall {
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
  outcome: CallOutcome;
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

export interface CallFilter {
  accessKeyId?: string | undefined;
  accountId?: string | undefined;
  service?: string | undefined;
  action?: string | undefined;
  outcome?: CallOutcome | undefined;
  /** Only entries with a greater `seq`. */
  since?: number | undefined;
}

const MAX_ENTRIES = 200_000;
const SECRET = /password|secret|sessiontoken|userdata|privatekey|WebIdentityToken/i;

/** Append-only record of every call, in order of arrival. */
export class CallLog {
  private entries: LoggedCall[] = [];
  private seq = 0;
  private lastWrite = Promise.resolve();

  constructor(private readonly file?: string | undefined) {}

  start({ service, region, action, accessKeyId, params, headers }: Call, accountId: string): LoggedCall {
    const entry: LoggedCall = {
      seq: ++this.seq,
      at: new Date().toISOString(),
      ...{ accountId, accessKeyId, service, region, action },
      params: withoutSecrets(params),
      outcome: "running",
      ...optional("trace", headers.traceparent),
      ...optional("app", /\bapp\/(\S+)/.exec(headers["user-agent"] ?? "")?.[1]),
      ...optional("attempt", headers["amz-sdk-request"]),
      ...optional("invocation", headers["amz-sdk-invocation-id"]),
    };
    this.entries.push(entry);
    if (this.entries.length > MAX_ENTRIES) this.entries = this.entries.slice(MAX_ENTRIES / 10);
    return entry;
  }

  finish(entry: LoggedCall, ending: Pick<LoggedCall, "outcome" | "status" | "errorCode">): void {
    Object.assign(entry, ending, { durationMs: Date.now() - Date.parse(entry.at) });
    const { file } = this;
    if (file)
      this.lastWrite = this.lastWrite.then(() => appendFile(file, `${JSON.stringify(entry)}\n`)).catch(() => undefined);
  }

  find({ accessKeyId, accountId, service, action, outcome, since = 0 }: CallFilter): LoggedCall[] {
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

function optional(name: string, value: string | string[] | undefined): Record<string, string> {
  return typeof value === "string" ? { [name]: value } : {};
}
