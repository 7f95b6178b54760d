import express, { type Request as Input, type RequestHandler, type Response } from "express";
import { Caller } from "./caller.js";
import type { AppContext } from "./context.js";
import type { Endpoint } from "./endpoint.js";
import { HttpError, unauthorized } from "./errors.js";
import type { Throttle } from "./throttle.js";

/** The dependencies of the frame. */
export interface HttpContext {
  appContext: AppContext;
  throttle: Throttle;
}

const readJson = express.json({ limit: "256kb", type: () => true, strict: false });

/** Checks an input's version, token, scope and rate. The identity goes into `res.locals`. */
export function authenticate(
  { access, method, rate }: Endpoint,
  { appContext, throttle }: HttpContext,
): RequestHandler {
  const headers = appContext.env.AUTH_TOKEN_HEADERS.split(",").map((name) => name.trim().toLowerCase());
  const rateClass = rate ?? (access === "anyone" ? "anyone" : method === "GET" ? "read" : "write");
  return async (input, res, next) => {
    requireVersion(input.headers.accept);
    const token = tokenOf(input, headers);
    const identity = token === undefined ? undefined : await appContext.identities.findByToken(token);
    if (!identity && (access !== "anyone" || token !== undefined)) {
      throttle.take("refused", input.ip ?? "");
      throw unauthorized();
    }
    setHeaders(res, throttle.take(rateClass, identity?.tokenId ?? input.ip ?? ""));
    if (identity && access !== "anyone") new Caller(identity, access, appContext.db).requireScope(access);
    res.locals.identity = identity;
    next();
  };
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

function requireVersion(accept: string | undefined): void {
  if (accept === undefined || accept === "*/*" || accept === "application/json") return;
  const types = accept.split(",").map((type) => type.split(";")[0]?.trim().toLowerCase() ?? "");
  const fits = types.some(
    (type) => ["*/*", "application/*", "application/json"].includes(type) || VENDOR.exec(type)?.[1] === "3",
  );
  if (!fits) throw new HttpError(406, "not_acceptable", ["only version 3 is spoken: application/vnd.service.v3+json"]);
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
