import { type Log, traceIdFrom } from "@gantry/runtime";
import { httpDuration, isTracing } from "@gantry/telemetry";
import type { RequestHandler } from "express";
import { routeOf, traceInput } from "./trace-input.js";

/**
 * Assigns a trace id to every input, in `res.locals` and in the header `X-Trace-Id`, and logs one line when the reply was
 * sent or the client left.
 */
export function logInput(log: Log): RequestHandler {
  // No field of the line can hold a secret, and looking for one takes as long as writing the line.
  const access = log.child({}, { redact: [] });
  return (input, res, next) => {
    const started = performance.now();
    const traceId = traceIdFrom(input.get("traceparent"));
    res.setHeader("X-Trace-Id", traceId);
    const { method } = input;
    // A token that was mistyped into the address must not stay in the log.
    const path = input.url.split("?", 1)[0]?.replace(/gty_\w+/g, "gty_…");
    res.once("close", () => {
      const ms = performance.now() - started;
      const status = res.writableFinished ? res.statusCode : 499;
      const route = routeOf(input);
      httpDuration.observe({ method, route: route ?? "none", status }, ms / 1000);
      access.info(
        {
          trace_id: traceId,
          method,
          path,
          route,
          status,
          ms: Math.round(ms * 100) / 100,
          user: res.locals.identity?.user.id,
        },
        "http",
      );
    });
    res.locals.traceId = traceId;
    if (isTracing()) traceInput(traceId, input, res, next);
    else next();
  };
}
