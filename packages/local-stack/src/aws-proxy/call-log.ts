import { appendFile } from "node:fs/promises";
import type { Call } from "./call.js";

/** `lost`: executed without a response; `abandoned`: disconnected by the caller before the response. */
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

/** One logged call; each retry by the SDK is another one. */
export interface LoggedCall {
  seq: number;
  /** The time of arrival, ISO 8601. */
  at: string;
  accountId: string;
  accessKeyId: string;
  service: string;
  region: string;
  action: string;
  /** Flat, as in the Query protocol, without secrets. */
  params: Record<string, string>;
  outcome: CallOutcome;
  status?: number;
  errorCode?: string;
  /** The `traceparent` header. */
  trace?: string;
  /** The SDK's `amz-sdk-request` header: `attempt=2; max=3`. */
  attempt?: string;
  /** The caller's `AWS_SDK_UA_APP_ID`, which distinguishes processes. */
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

/** Append-only log of all calls, in order of arrival; the oldest entries leave memory first. */
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

  finish(entry: LoggedCall, result: Pick<LoggedCall, "outcome" | "status" | "errorCode">): void {
    Object.assign(entry, result, { durationMs: Date.now() - Date.parse(entry.at) });
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
