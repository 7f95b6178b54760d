import { type RequestHandler, Router } from "express";
import { authenticate } from "./auth/authenticate.js";
import { requestHandler } from "./calls/request-handler.js";
import { showingEndpoints, shownBy } from "./conditions/shown-by.js";
import type { AppContext } from "./context.js";
import type { Endpoint } from "./endpoint.js";
import { HttpError } from "./errors/errors.js";
import { readBody } from "./server/body.js";

/** Routes inputs to endpoints: one router for each first segment of their paths, with 405 for the other methods. */
export function mount(endpoints: Endpoint[], appContext: AppContext): RequestHandler {
  const routers = new Map<string, Router>();
  const showing = showingEndpoints(endpoints);
  for (const [pattern, group] of byPattern(endpoints)) {
    const first = pattern.split("/")[1] ?? "";
    const router = routers.get(first) ?? Router({ caseSensitive: true });
    routers.set(first, router);
    for (const endpoint of group) {
      const { method, path } = endpoint;
      router[method.toLowerCase() as "get"](
        path,
        authenticate(endpoint, appContext),
        readBody,
        requestHandler(endpoint, appContext, shownBy(endpoint, showing)),
      );
    }
    const allow = group.map(({ method }) => (method === "GET" ? "GET, HEAD" : method)).join(", ");
    router.all(pattern, () => {
      throw new HttpError(405, "method_not_allowed", [`this path does not support that method; use ${allow}`], {
        headers: { Allow: allow },
      });
    });
  }
  return (input, res, next) => {
    const router = routers.get(input.path.split("/", 2)[1] ?? "");
    if (!router) return next();
    // What a caller reads is only for this caller, and not for a cache in between.
    res.setHeader("Cache-Control", "no-store");
    router(input, res, next);
  };
}

// Fixed paths come before those with parameters, whatever the order of the endpoints.
function byPattern(endpoints: Endpoint[]): [string, Endpoint[]][] {
  const groups = new Map<string, Endpoint[]>();
  for (const endpoint of endpoints) {
    const pattern = endpoint.path.replace(/:\w+/g, ":_");
    groups.set(pattern, [...(groups.get(pattern) ?? []), endpoint]);
  }
  const groupsByPath = [...groups].map(([, group]) => [group[0]?.path ?? "", group] as [string, Endpoint[]]);
  return groupsByPath.sort(([a], [b]) => (a.replaceAll(":", "\uffff") < b.replaceAll(":", "\uffff") ? -1 : 1));
}
