import { isUtf8 } from "node:buffer";
import express, { type RequestHandler } from "express";
import { HttpError } from "../errors/errors.js";

const readJson = express.json({ limit: "256kb", type: () => true, strict: false, verify: requireUtf8 });

function requireUtf8(_input: unknown, _res: unknown, body: Buffer, charset: string): void {
  if (charset !== "utf-8") throw new HttpError(415, "unsupported_charset", ["a body must be UTF-8"]);
  if (!isUtf8(body)) throw notUtf8("body");
}

/** Refuses a path or a query whose escaped bytes are not UTF-8. Node's parser refuses bytes that are not escaped. */
export const requireUtf8Url: RequestHandler = ({ url }, _res, next) => {
  if (!url.includes("%")) return next();
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
