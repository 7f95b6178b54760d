import { BlockList, isIPv6 } from "node:net";
import type { Db, InstallationKeys } from "@gantry/db";
import type { Env } from "@gantry/runtime";
import type { Request as Input, RequestHandler } from "express";
import { forbidden, HttpError, unauthorized } from "../errors/errors.js";
import type { Throttle } from "../limits/throttle.js";
import { type MediaTypes, mediaTypesOf } from "../media-types.js";
import { type Access, Caller, type Identity, limitKeyOf } from "./caller.js";
import type { Identities } from "./identities.js";
import { requireOwnPage, SECRETS_HEADER, SessionCookie } from "./session-cookie.js";

/** Who may call an endpoint, besides the rule of its scope and role. */
export interface AccessRules {
  /** A scope that it also requires. */
  alsoScope?: Access;
  /**
   * Concerns only the caller itself: no role decides, and the handler finds what is the caller's own. What belongs to a
   * `person` needs a person's token that is not limited to accounts. For a `token` the handler stays within its limits.
   */
  self?: "person" | "token";
  /** Makes it an endpoint for staff. The value is the message for everybody else. */
  staffOnly?: string;
  /**
   * The class of the rate limit, derived from its access if absent: `report` is for servers that report their progress.
   */
  rate?: "report";
}

interface AuthenticatedEndpoint extends AccessRules {
  access: Access | "anyone";
  method: string;
  reply?: MediaTypes;
  /** True if the console's cookie does not authenticate its calls. */
  ignoresCookie?: boolean;
}

interface Authentication {
  identities: Identities;
  throttle: Throttle;
  db: Db;
  env: Pick<Env, "AUTH_TOKEN_HEADERS" | "BASE_URL">;
  keys: Pick<InstallationKeys, "csrf">;
}

/** Checks an input's version, token, scope and rate. The identity goes into `res.locals`. */
export function authenticate(
  { access, alsoScope, self, staffOnly, method, rate, reply, ignoresCookie }: AuthenticatedEndpoint,
  { identities, throttle, db, env, keys }: Authentication,
): RequestHandler {
  const headers = env.AUTH_TOKEN_HEADERS.split(",").map((name) => name.trim().toLowerCase());
  const rateClass = rate ?? (access === "anyone" ? "anyone" : method === "GET" ? "read" : "write");
  const acceptable = rangesOf(["application/json", ...mediaTypesOf(reply ?? {})]);
  return async (input, res, next) => {
    requireVersion(input.headers.accept, acceptable);
    const sent = tokenOf(input, headers);
    const cookie = sent === undefined && !ignoresCookie ? SessionCookie.of(input, env)?.tokenIn(input) : undefined;
    const token = sent ?? cookie;
    const address = input.ip ?? "";
    const key = token === undefined ? undefined : identities.keyOf(token);
    if (key !== undefined && identities.isGuess(key)) throttle.require("refused", address);
    const found = key === undefined ? undefined : await identities.find(key);
    const identity = found && cookie !== undefined ? inSession(found, input) : found;
    if (!identity && (access !== "anyone" || token !== undefined)) {
      throttle.take("refused", address);
      // A session that has ended must not prevent the next sign-in.
      if (access !== "anyone" || cookie === undefined) throw unauthorized();
    }
    const limits = throttle.take(rateClass, identity ? limitKeyOf(identity) : address);
    for (const name in limits) res.setHeader(name, limits[name] ?? "");
    res.locals.identity = identity;
    if (identity) requireAddress(identity, address);
    if (identity?.cookie && method !== "GET") requireOwnPage(input, keys.csrf, identity.tokenId);
    if (identity && access !== "anyone") {
      const caller = new Caller(identity, access, db);
      caller.requireScope(access);
      if (alsoScope) caller.requireScope(alsoScope);
      if (self === "person") caller.requirePerson();
    }
    if (staffOnly !== undefined && !identity?.user.staff) throw forbidden(staffOnly);
    next();
  };
}

/** The identity of a call that the cookie authenticates; undefined if its token is not that of a session. */
function inSession(identity: Identity, input: Input): Identity | undefined {
  if (!identity.isSession) return undefined;
  return { ...identity, cookie: { asksForSecrets: input.get(SECRETS_HEADER) === "show" } };
}

/** @throws 403 if the token cannot be used from the address */
export function requireAddress({ cidrs }: Pick<Identity, "cidrs">, address: string): void {
  if (cidrs.length === 0) return;
  const allowed = new BlockList();
  for (const cidr of cidrs) {
    const [network = "", prefix] = cidr.split("/");
    allowed.addSubnet(network, Number(prefix), isIPv6(network) ? "ipv6" : "ipv4");
  }
  if (!allowed.check(address, isIPv6(address) ? "ipv6" : "ipv4"))
    throw forbidden("this token cannot be used from your IP address");
}

function tokenOf({ headers }: Input, names: string[]): string | undefined {
  const bearer = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? "")?.[1];
  if (bearer !== undefined || headers.authorization !== undefined) return bearer ?? "";
  for (const name of names) {
    const value = headers[name];
    if (typeof value === "string") return value.trim();
  }
  return undefined;
}

const VENDOR = /^application\/vnd\.[\w.-]+\.v(\d+)\+json$/;

/** The media types and the ranges of `Accept` that include one of them. */
function rangesOf(mediaTypes: string[]): ReadonlySet<string> {
  return new Set(["*/*", ...mediaTypes.flatMap((type) => [type, type.replace(/\/.*/, "/*")])]);
}

function requireVersion(accept: string | undefined, acceptable: ReadonlySet<string>): void {
  if (accept === undefined || accept === "*/*" || accept === "application/json") return;
  const types = accept.split(",").map((type) => type.split(";")[0]?.trim().toLowerCase() ?? "");
  if (types.some((type) => acceptable.has(type) || VENDOR.exec(type)?.[1] === "3")) return;
  throw new HttpError(406, "not_acceptable", [
    "unsupported API version; send `Accept: application/vnd.service.v3+json`",
  ]);
}
