import { isUnavailable, type Model, violatedUnique } from "@gantry/db";

/** A refused value: its path in the input, and the reason. */
export interface Detail {
  path: string;
  message: string;
}

/** The record that an error is about. */
export interface RecordId {
  model: Model;
  id: string | number;
}

interface Extras {
  details?: Detail[];
  missing?: string;
  unpermitted?: string[];
  headers?: Record<string, string>;
  /** The e-mail of a sign-in that failed, for the audit. */
  failedSignIn?: string;
  /** The paths of the records that block the call, such as `servers/3`. */
  blocking?: string[];
  /** Lets the reply name the parameter of the body that holds the record's id. */
  about?: RecordId;
}

/** Every `code` that the API answers, with its statuses; docs/errors.md explains each. */
export const ERROR_CODES = {
  ambiguous_account: [422],
  bad_request: [400],
  conflict: [409],
  csrf: [403],
  forbidden: [403],
  gone: [410],
  idempotency_key_reused: [422],
  internal: [500],
  invalid: [422],
  issuer_unavailable: [503],
  method_not_allowed: [405],
  missing: [422],
  no_sign_in: [400],
  not_acceptable: [406],
  not_found: [404],
  not_json: [400],
  precondition_failed: [412],
  sign_in_again: [403],
  timeout: [408],
  too_deep: [422],
  too_large: [413, 431],
  too_many_open_requests: [429],
  too_many_requests: [429],
  unauthorized: [401],
  unavailable: [503],
  unpermitted: [422],
  unsupported_charset: [415],
  unsupported_encoding: [415],
  unsupported_media_type: [415],
} as const satisfies Record<string, readonly number[]>;

export type ErrorCode = keyof typeof ERROR_CODES;

/** A reply that reports an error. Its sentences are for the caller: no stack, SQL or raw cloud text. */
export class HttpError extends Error {
  constructor(
    readonly status: number,
    readonly code: ErrorCode,
    readonly sentences: string[],
    readonly extras: Extras = {},
  ) {
    super(sentences[0]);
  }
}

export const unauthorized = () =>
  new HttpError(401, "unauthorized", ["a valid API token is required"], {
    headers: { "WWW-Authenticate": 'Bearer realm="gantry"' },
  });

export const forbidden = (sentence: string) => new HttpError(403, "forbidden", [sentence]);

/** The same reply for a missing row, a row of another account and a malformed id. */
export const notFound = (about?: RecordId) => new HttpError(404, "not_found", ["not found"], about ? { about } : {});

/**
 * 409 if the state of a record, or another record, prevents the call.
 *
 * @param cause `path`: the caller's, of the value that conflicts; `about`: the record whose state conflicts, for the
 * path of the parameter that names it; `blocking`: the paths of other records that prevent it, such as `servers/3`
 */
export function conflict(
  sentence: string,
  { path = "", ...cause }: { path?: string; about?: RecordId; blocking?: string[] } = {},
): HttpError {
  return new HttpError(409, "conflict", [sentence], { details: [{ path, message: sentence }], ...cause });
}

/**
 * 422 for the e-mail of a new user, in the words that clients of this family of APIs look for.
 *
 * @param id the other user's, if it is known
 */
export function emailTaken(id?: string): HttpError {
  const message = "Email has already been taken";
  const details = [{ path: "user.email", message }];
  return new HttpError(422, "invalid", [message], { details, ...(id !== undefined && { blocking: [`users/${id}`] }) });
}

/** 422 for a value; `path` is the caller's, such as `network.cidr`. */
export const invalid = (path: string, message: string) =>
  new HttpError(422, "invalid", [path ? `${path}: ${message}` : message], { details: [{ path, message }] });

/** 422 for an unknown type; the details list the known ones, and the specification fixes the message. */
export function unknownType(kind: string, type: string, path: string, known: string[]): HttpError {
  const sentence = `Unknown ${kind} type: ${type}`;
  const message = `${sentence}; valid types are ${known.join(", ")}`;
  return new HttpError(422, "invalid", [sentence], { details: [{ path, message }] });
}

export const missing = (path: string) => {
  const message = `param is missing or the value is empty: ${path}`;
  return new HttpError(422, "missing", [message], { missing: path, details: [{ path, message }] });
};

const PARSER_ERRORS: Record<string, [number, ErrorCode, string]> = {
  "entity.too.large": [413, "too_large", "the body is larger than 256 KiB"],
  "entity.parse.failed": [400, "not_json", "the body is not valid JSON"],
  "encoding.unsupported": [415, "unsupported_encoding", "the body's content encoding is not supported"],
  "charset.unsupported": [415, "unsupported_charset", "the body's character set is not supported"],
};

/** The reply to an error, or undefined for a defect of the service, whose details only the log may hold. */
export function asHttpError(error: unknown): HttpError | undefined {
  if (error instanceof HttpError) return error;
  if (isUnavailable(error)) {
    const sentence = "the database is unreachable, busy or accepts no writes; try again in a few seconds";
    return new HttpError(503, "unavailable", [sentence], { headers: { "Retry-After": "2" } });
  }
  const index = violatedUnique(error);
  if (index === "users_email_key") return emailTaken();
  if (index !== undefined)
    return conflict("the record was changed by another call at the same time; read it again and retry");
  const { type, status } = error as { type?: string; status?: number };
  const parserError = PARSER_ERRORS[type ?? ""];
  if (parserError) return new HttpError(parserError[0], parserError[1], [parserError[2]]);
  if (error instanceof URIError) return notFound();
  if (status === 400) return new HttpError(400, "bad_request", ["the request could not be read"]);
  return undefined;
}
