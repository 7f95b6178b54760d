import type { Schema } from "./schemas.js";

/** Refusals that operations declare one by one, by status. */
const REFUSALS: Readonly<Record<number, string>> = {
  409: "The state of the record prevents the operation; `blocking` lists the records in the way",
  410: "The requested data is no longer kept",
  412: "The record is not as `If-Match` or `If-None-Match` requires; nothing was changed",
  503: "The database is unreachable, busy or accepts no writes, or the process has reached a limit; retry after `Retry-After` seconds",
};

/** Refusals that every operation has, by status: one answer declares them all. */
export const REFUSALS_OF_ALL: Readonly<Record<"4XX" | "default", Readonly<Record<number, string>>>> = {
  "4XX": {
    400: "The call is malformed",
    401: "The token is missing, unknown, revoked or expired",
    403: "The token lacks the scope, or the user lacks the role",
    404: "The record does not exist in the caller's accounts",
    405: "The path does not support the method",
    406: "No response has the media type in `Accept`",
    408: "The call took too long to arrive",
    413: "The body is too large",
    415: "The media type or character set of the body is not supported",
    422: "The input is invalid; `details` lists each field",
    429: "Too many calls; retry after `Retry-After` seconds",
    431: "The headers are too large",
  },
  default: { 500: "Internal error of Gantry" },
};

export const HEADERS: Readonly<Record<string, { description: string; schema: Schema; example: unknown }>> = {
  Link: {
    description: "Links to other pages, by `rel`: next, prev, last. Only a page without next is the last",
    schema: { type: "string" },
    example: '<http://127.0.0.1:3000/servers?page=2>; rel="next"',
  },
  "X-Total-Count": {
    description: "The number of records on all pages; an estimate if `X-Total-Count-Estimated` is present",
    schema: { type: "integer" },
    example: 42,
  },
  "X-Total-Count-Estimated": {
    description: "Present if the total is an estimate, because there are too many records to count",
    schema: { type: "string", enum: ["true"] },
    example: "true",
  },
  ETag: {
    description: "The entity tag of the record as this caller sees it, for `If-None-Match` and `If-Match`",
    schema: { type: "string" },
    example: 'W/"5Zk1"',
  },
  "RateLimit-Limit": { description: "The limit of calls per minute", schema: { type: "integer" }, example: 3000 },
  "RateLimit-Remaining": { description: "The remaining calls", schema: { type: "integer" }, example: 2999 },
  "RateLimit-Reset": { description: "Seconds until the next minute", schema: { type: "integer" }, example: 42 },
  "Retry-After": { description: "Seconds to wait before the next attempt", schema: { type: "integer" }, example: 5 },
};

/** Returns the components of the answers that refuse a call. */
export function refusals(): Record<string, object> {
  const content = { "application/json": { schema: { $ref: "#/components/schemas/Problem" } } };
  const single = Object.entries(REFUSALS).map(([status, description]) => [
    refusalName(status),
    { description, ...(status === "503" && { headers: headersOf([AFTER]) }), content },
  ]);
  const ofAll = Object.entries(REFUSALS_OF_ALL).map(([range, statuses]) => [
    refusalName(range),
    {
      description: Object.entries(statuses)
        .map(([status, description]) => `${status}: ${description}`)
        .join(". "),
      ...("429" in statuses && { headers: headersOf([...RATES, AFTER]) }),
      content,
      "x-statuses": statuses,
    },
  ]);
  return Object.fromEntries([...single, ...ofAll]);
}

const AFTER = "Retry-After";
/** The headers of a page of a list. */
export const PAGE = ["Link", "X-Total-Count", "X-Total-Count-Estimated"];
const RATES = ["RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"];

/** The headers that the answers declare. */
export function headersOf(names: string[]): Record<string, { $ref: string }> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** Returns the names under which an operation refers to the refusals of these statuses. */
export const refusalName = (status: string) => `Refusal${status.replace("default", "")}`;
