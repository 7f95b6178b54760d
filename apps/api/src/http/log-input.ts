import { type Log, traceIdFrom } from "@gantry/runtime";
import type { ErrorRequestHandler, RequestHandler } from "express";
import { asHttpError, HttpError, notFound } from "./errors.js";

/**
 * Gives every input a trace id, which it returns, and writes one line about it when it was answered. The id travels in
 * `res.locals`: before Node 22 an AsyncLocalStorage slows down every promise of the process by a third.
 */
export function logInput(log: Log): RequestHandler {
  return (input, res, next) => {
    const started = performance.now();
    const traceId = traceIdFrom(input.get("traceparent"));
    res.setHeader("X-Trace-Id", traceId);
    const { method } = input;
    const path = input.url.split("?", 1)[0];
    res.once("close", () => {
      log.info(
        {
          trace_id: traceId,
          method,
          path,
          route: input.route?.path,
          status: res.writableFinished ? res.statusCode : 499,
          ms: Math.round((performance.now() - started) * 100) / 100,
          user: res.locals.identity?.user.id,
        },
        "http",
      );
    });
    res.locals.traceId = traceId;
    next();
  };
}

export const routeNotFound: RequestHandler = () => {
  throw notFound();
};

/** Answers what was thrown, in the one shape of errors; what is ours to mend is logged and told as no more than that. */
export function errorHandler(log: Log): ErrorRequestHandler {
  return (error, _input, res, next) => {
    const told = asHttpError(error) ?? new HttpError(500, "internal", ["something went wrong on our side"]);
    if (told.status >= 500)
      log.error({ trace_id: res.locals.traceId, err: error, status: told.status }, "input failed");
    if (res.headersSent) return next(error);
    const { details = [], missing, unpermitted, headers } = told.extras;
    res.set(headers ?? {});
    const body = {
      errors: told.sentences,
      code: told.code,
      details,
      missing,
      unpermitted,
      trace_id: res.locals.traceId,
    };
    res.status(told.status).set("Content-Type", "application/json; charset=utf-8").end(JSON.stringify(body));
  };
}
