import { isUnreachable, violatedUnique } from "@gantry/db";

/** A refused value: its path in the input, and the reason. */
export interface Detail {
  path: string;
  message: string;
}

/** A record that was not found: the name of its kind, such as `iam_role`, and its id. */
interface Sought {
  name: string;
  id: string;
}

interface Extras {
  details?: Detail[];
  missing?: string;
  unpermitted?: string[];
  headers?: Record<string, string>;
  /** The e-mail of a sign-in that failed, for the audit. */
  failedSignIn?: string;
  /** The paths of the records in the way, such as `servers/3`. */
  blocking?: string[];
  sought?: Sought;
}

/** A reply that reports an error. Its sentences are for the caller: no stack, SQL or raw cloud text. */
export class HttpError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    readonly sentences: string[],
    readonly extras: Extras = {},
  ) {
    super(sentences[0]);
  }
}

export const unauthorized = () =>
  new HttpError(401, "unauthorized", ["a valid API token is needed"], {
    headers: { "WWW-Authenticate": 'Bearer realm="gantry"' },
  });

export const forbidden = (sentence: string) => new HttpError(403, "forbidden", [sentence]);

/**
 * One reply for a missing row, a row of another account and an id of another form.
 *
 * @param sought what was looked for, so that the reply can name the parameter of the body that holds it
 */
export const notFound = (sought?: Sought) => new HttpError(404, "not_found", ["not found"], sought ? { sought } : {});

/** The error, with the parameter of the body that names the record which was not found. */
export function withParameter(error: unknown, { params, body }: { params: object; body: unknown }): unknown {
  if (!(error instanceof HttpError) || !error.extras.sought) return error;
  const { name, id } = error.extras.sought;
  if (Object.values(params).includes(id)) return error;
  const paths = pathsOf(body, id).map((path) => path.join("."));
  // Another parameter may have the same value.
  const path = paths.length === 1 ? paths[0] : paths.find((each) => each.includes(name));
  if (path === undefined) return error;
  const message = "not found";
  return new HttpError(error.status, error.code, [`${path}: ${message}`], { details: [{ path, message }] });
}

/** The paths of the parameters that hold an id. */
function pathsOf(value: unknown, id: string): string[][] {
  if (typeof value !== "object" || value === null) return String(value) === id ? [[]] : [];
  return Object.entries(value).flatMap(([key, inner]) => pathsOf(inner, id).map((path) => [key, ...path]));
}

/**
 * 409 where the state of a record, or another record, is in the way.
 *
 * @param about `path`: the caller's, of the value that conflicts; `blocking`: the paths of other records that are in the way, such as `servers/3`
 */
export function conflict(sentence: string, { path, blocking }: { path?: string; blocking?: string[] } = {}): HttpError {
  const details = [{ path: path ?? "", message: sentence }];
  return new HttpError(409, "conflict", [sentence], { details, ...(blocking && { blocking }) });
}

/** 422 for a value; `path` is the caller's, such as `network.cidr`. */
export const invalid = (path: string, message: string) =>
  new HttpError(422, "invalid", [path ? `${path}: ${message}` : message], { details: [{ path, message }] });

export const missing = (path: string) => {
  const message = `param is missing or the value is empty: ${path}`;
  return new HttpError(422, "missing", [message], { missing: path, details: [{ path, message }] });
};

const PARSER_ERRORS: Record<string, [number, string, string]> = {
  "entity.too.large": [413, "too_large", "the body is larger than 256 KiB"],
  "entity.parse.failed": [400, "not_json", "the body is not JSON"],
  "encoding.unsupported": [415, "unsupported_encoding", "the body's content encoding is not supported"],
  "charset.unsupported": [415, "unsupported_charset", "the body's character set is not supported"],
};

/** The reply to an error, or undefined for a defect of the service, whose details only the log may hold. */
export function asHttpError(error: unknown): HttpError | undefined {
  if (error instanceof HttpError) return error;
  if (isUnreachable(error)) {
    const sentence = "the database cannot be reached; try again soon";
    return new HttpError(503, "unavailable", [sentence], { headers: { "Retry-After": "2" } });
  }
  if (violatedUnique(error) !== undefined) return conflict("another change to the same record came first");
  const { type, status } = error as { type?: string; status?: number };
  const known = PARSER_ERRORS[type ?? ""];
  if (known) return new HttpError(known[0], known[1], [known[2]]);
  if (error instanceof URIError) return notFound();
  if (status === 400) return new HttpError(400, "bad_request", ["the request could not be read"]);
  return undefined;
}
