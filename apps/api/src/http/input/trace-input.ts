import { parentSpanFrom } from "@gantry/runtime";
import { insideSpan, startSpan } from "@gantry/telemetry";
import type { Request as Input, NextFunction, Response } from "express";

/** What monitoring asks for again and again, in which no trace is of use. */
const UNTRACED = /^\/(health|metrics)\b/;

/**
 * Continues with an input inside a span, which ends with the reply or when the client leaves. It has the pattern of the
 * route only: a path or a query may hold a token.
 */
export function traceInput(traceId: string, input: Input, res: Response, next: NextFunction): void {
  const { method } = input;
  const parent = { traceId, span: parentSpanFrom(input.get("traceparent")) };
  const attributes = { "http.request.method": method };
  const span = UNTRACED.test(input.path) ? undefined : startSpan(method, { kind: "server", attributes, parent });
  if (!span) {
    next();
    return;
  }
  res.once("close", () => {
    const route = routeOf(input);
    const status = res.writableFinished ? res.statusCode : 499;
    if (route) span.rename(`${method} ${route}`);
    span.set({ "http.route": route, "http.response.status_code": status });
    if (status >= 500) span.fail(String(status));
    span.end();
  });
  insideSpan(span, next);
}

/**
 * Returns the pattern of the route that handles an input, such as `/networks/:network`; undefined without one. No router
 * is mounted at a path with a parameter, so that the pattern holds no id.
 */
export function routeOf({ baseUrl, route }: Pick<Input, "baseUrl" | "route">): string | undefined {
  if (!route) return undefined;
  // The pages of the queues have one route with several paths.
  const [path] = [route.path as string | string[]].flat();
  return `${baseUrl}${path}`;
}
