import { linkUnder } from "@gantry/resources";
import type { Log } from "@gantry/runtime";
import type { ErrorRequestHandler, RequestHandler } from "express";
import { asHttpError, HttpError, notFound } from "./errors.js";

export const routeNotFound: RequestHandler = () => {
  throw notFound();
};

/**
 * Answers an error with the problem body of every error. A defect of the service is logged, and the caller sees no
 * details.
 */
export function errorHandler(log: Log, baseUrl: string | undefined): ErrorRequestHandler {
  return (error, input, res, next) => {
    const problem = asHttpError(error) ?? new HttpError(500, "internal", ["internal server error"]);
    if (problem.status >= 500)
      log.error({ trace_id: res.locals.traceId, err: error, status: problem.status }, "request handling failed");
    if (res.headersSent) return next(error);
    const { details = [], missing, unpermitted, headers } = problem.extras;
    const link = linkUnder(baseUrl ?? `${input.protocol}://${input.get("host")}`);
    const blocking = problem.extras.blocking?.map((path) => link(path));
    res.set(headers ?? {});
    const { sentences: errors, code } = problem;
    const body = { errors, code, details, missing, unpermitted, blocking, trace_id: res.locals.traceId };
    res.set("Cache-Control", "no-store");
    res.status(problem.status).set("Content-Type", "application/json; charset=utf-8").end(JSON.stringify(body));
  };
}
