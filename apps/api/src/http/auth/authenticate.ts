import { isUtf8 } from "node:buffer";
import { BlockList, isIPv6 } from "node:net";
import express, { type Request as Input, type RequestHandler, type Response } from "express";
import type { AppContext } from "../context.js";
import type { Endpoint } from "../endpoint.js";
import { forbidden, HttpError, unauthorized } from "../errors/errors.js";
import { mediaTypesOf } from "../media-types.js";
import { Caller, type Identity, limitKeyOf } from "./caller.js";

const readJson = express.json({ limit: "256kb", type: () => true, strict: false, verify: requireUtf8 });

function requireUtf8(_input: unknown, _res: unknown, body: Buffer, charset: string): void {
  if (charset !== "utf-8") throw new HttpError(415, "unsupported_charset", ["a body must be UTF-8"]);
  if (!isUtf8(body)) throw notUtf8("body");
}

/** What `authenticate` needs to know of an endpoint. */
type Authentication = Pick<Endpoint, "access" | "alsoScope" | "self" | "staffOnly" | "method" | "rate"> & {
  reply?: Pick<Endpoint["reply"], "mediaType" | "alternative">;
};

/** Checks an input's version, token, scope and rate. The identity goes into `res.locals`. */
export function authenticate(
  { access, alsoScope, self, staffOnly, method, rate, reply }: Authentication,
  appContext: AppContext,
): RequestHandler {
  const { identities, throttle } = appContext;
  const headers = appContext.env.AUTH_TOKEN_HEADERS.split(",").map((name) => name.trim().toLowerCase());
  const rateClass = rate ?? (access === "anyone" ? "anyone" : method === "GET" ? "read" : "write");
  const acceptable = rangesOf(["application/json", ...mediaTypesOf(reply ?? {})]);
  return async (input, res, next) => {
    requireVersion(input.headers.accept, acceptable);
    const token = tokenOf(input, headers);
    const address = input.ip ?? "";
    const key = token === undefined ? undefined : identities.keyOf(token);
    if (key !== undefined && identities.isGuess(key)) throttle.require("refused", address);
    const identity = key === undefined ? undefined : await identities.find(key);
    if (!identity && (access !== "anyone" || token !== undefined)) {
      throttle.take("refused", address);
      throw unauthorized();
    }
    setHeaders(res, throttle.take(rateClass, identity ? limitKeyOf(identity) : address));
    res.locals.identity = identity;
    if (identity) requireAddress(identity, address);
    if (identity && access !== "anyone") {
      const caller = new Caller(identity, access, appContext.db);
      caller.requireScope(access);
      if (alsoScope) caller.requireScope(alsoScope);
      if (self === "person") caller.requirePerson();
    }
    if (staffOnly !== undefined && !identity?.user.staff) throw forbidden(staffOnly);
    next();
  };
}

function requireAddress({ cidrs }: Identity, address: string): void {
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

/** Refuses a path or a query whose escaped bytes are not UTF-8. Node's parser refuses bytes that are not escaped. */
export const requireUtf8Url: RequestHandler = ({ url }, _res, next) => {
  for (const [escaped] of url.matchAll(/(?:%[\da-f]{2})+/gi))
    if (!isUtf8(Buffer.from(escaped.replaceAll("%", ""), "hex"))) throw notUtf8("path or query");
  next();
};

function notUtf8(part: string): HttpError {
  return new HttpError(400, "bad_request", [`the ${part} contains bytes that are not UTF-8`]);
}

/** Parses a JSON body, if any. */
export const readBody: RequestHandler = (input, res, next) => {
  const { "content-length": length, "transfer-encoding": chunked, "content-type": type = "" } = input.headers;
  if (!chunked && (length === undefined || length === "0")) return next();
  if (!/^application\/(json|vnd\.[\w.-]+\+json)\s*(;|$)/i.test(type)) {
    throw new HttpError(415, "unsupported_media_type", ["a body must be application/json"]);
  }
  readJson(input, res, next);
};

/** Sets headers without the changes that Express makes to them. */
export function setHeaders(res: Response, headers: Record<string, string>): void {
  for (const name in headers) res.setHeader(name, headers[name] as string);
}
