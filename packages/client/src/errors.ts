import type { LeakedResource, Problem, Request } from "./generated/schemas.js";

/** What is known about a call that failed. */
interface Facts extends Partial<Problem> {
  status?: number | undefined;
  retryAfter?: number | undefined;
  attempts?: number | undefined;
  idempotencyKey?: string | undefined;
  apiVersion?: string | undefined;
  cause?: unknown;
}

/** Any failure of a call. Its message is the API's sentence, or says what happened to the connection. */
export class GantryError extends Error {
  override readonly name: string = "GantryError";
  /** The API's code, such as `not_found`, or one of the client's: `connection_lost`, `timed_out`. */
  readonly code: string;
  /** The HTTP status; undefined if there was no response. */
  readonly status: number | undefined;
  readonly errors: string[];
  /** The parameters that are wrong, each with its path, such as `network.cidr`. */
  readonly details: Problem["details"];
  /** The URLs of the records that prevent the call. */
  readonly blocking: string[];
  readonly missing: string | undefined;
  readonly unpermitted: string[];
  /** Names the call in the operator's logs. */
  readonly traceId: string | undefined;
  /** Seconds after which the call may be repeated. */
  readonly retryAfter: number | undefined;
  /** How often the call was sent. */
  readonly attempts: number;
  /** The version of the API that refused the call. */
  readonly apiVersion: string | undefined;
  /** Repeat a change with this key: Gantry does not run it twice. */
  readonly idempotencyKey: string | undefined;

  constructor(message: string, facts: Facts = {}) {
    super(message, "cause" in facts ? { cause: facts.cause } : undefined);
    this.code = facts.code ?? "unknown";
    this.status = facts.status;
    this.errors = facts.errors ?? [message];
    this.details = facts.details ?? [];
    this.blocking = facts.blocking ?? [];
    this.missing = facts.missing;
    this.unpermitted = facts.unpermitted ?? [];
    this.traceId = facts.trace_id;
    this.retryAfter = facts.retryAfter;
    this.attempts = facts.attempts ?? 0;
    this.idempotencyKey = facts.idempotencyKey;
    this.apiVersion = facts.apiVersion;
  }
}

/** 401: there is no token, or it is wrong, revoked or expired. */
export class Unauthorized extends GantryError {
  override readonly name = "Unauthorized";
}
/** 403: a scope or a role is missing. */
export class Forbidden extends GantryError {
  override readonly name = "Forbidden";
}
export class NotFound extends GantryError {
  override readonly name = "NotFound";
}
/** 409: the record's state, or the records in `blocking`, prevent the call. */
export class Conflict extends GantryError {
  override readonly name = "Conflict";
}
/** 400, 413, 415 or 422: the input is wrong; `details` names the parameters. */
export class Invalid extends GantryError {
  override readonly name = "Invalid";
}
/** 429, after all attempts; or at once with the code `too_many_open_requests`. */
export class TooMany extends GantryError {
  override readonly name = "TooMany";
}
/** 503, after all attempts. */
export class Unavailable extends GantryError {
  override readonly name = "Unavailable";
}
/** 500: a defect in Gantry. */
export class Internal extends GantryError {
  override readonly name = "Internal";
}
/** 410: the events after the cursor are no longer kept. Read the records again, and start with `after: "now"`. */
export class EventsExpired extends GantryError {
  override readonly name = "EventsExpired";
}
/** No response arrived, after all attempts. A change may have been made: repeat it with `idempotencyKey`. */
export class ConnectionLost extends GantryError {
  override readonly name: string = "ConnectionLost";
}
/** No response arrived in `timeoutMs`, after all attempts. */
export class TimedOut extends ConnectionLost {
  override readonly name = "TimedOut";
}

const BY_STATUS: Record<number, typeof GantryError> = {
  400: Invalid,
  401: Unauthorized,
  403: Forbidden,
  404: NotFound,
  409: Conflict,
  410: EventsExpired,
  412: Conflict,
  413: Invalid,
  415: Invalid,
  422: Invalid,
  429: TooMany,
  500: Internal,
  503: Unavailable,
};

/** The error of a response that is not 2xx. */
export function errorOf(status: number, body: unknown, facts: Facts): GantryError {
  const problem = (typeof body === "object" && body !== null ? body : {}) as Partial<Problem>;
  const message = problem.errors?.join("; ") ?? `the answer was ${status} and did not come from Gantry`;
  return new (BY_STATUS[status] ?? GantryError)(message, { ...problem, ...facts, status });
}

/** The Request ended without success. */
export class RequestFailed extends GantryError {
  override readonly name: string = "RequestFailed";

  constructor(
    /** The Request as it ended. */
    readonly request: Request,
    /** The stage in which it failed. */
    readonly stage: string | null,
    /** The child in which it failed. */
    readonly child: Request | undefined,
    /** What it created in AWS and could not remove; Gantry tries again. */
    readonly leaked: LeakedResource[],
  ) {
    super(request.message ?? `the Request ended as ${request.state}`, { code: `request_${request.state}` });
  }
}

/** The Request was cancelled, and what it created was removed, but for what `leaked` names. */
export class RequestCancelled extends RequestFailed {
  override readonly name = "RequestCancelled";
}

/** The time to wait is over. The Request goes on. */
export class WaitTimeout extends GantryError {
  override readonly name = "WaitTimeout";

  constructor(
    /** The Request as it was seen last. */
    readonly request: Request,
  ) {
    super(`the Request ${request.id} is still ${request.state}; it goes on`, { code: "wait_timeout" });
  }
}
