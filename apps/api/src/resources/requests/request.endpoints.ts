import { z } from "zod";
import { endpoint } from "../../http/endpoint.js";
import { many, one } from "../../http/reply.js";
import { where } from "../../http/rows.js";
import { requestFilters } from "./request.filters.js";
import { request } from "./request.resource.js";

export const requestEndpoints = [
  endpoint({
    route: "GET /requests/:request",
    summary: "Show a request, at once or when it ends",
    query: { wait: z.coerce.number().min(0).max(60).default(0).describe("Seconds to wait for its end") },
    reply: one(request),
    handle: async ({ params, query, caller, house }) => {
      const look = () => caller.find("request", params.request);
      const seen = await look();
      if (query.wait === 0 || seen.finishedAt) return seen;
      return house.finishes.follow(seen.id, query.wait, look, ({ finishedAt }) => finishedAt !== null);
    },
  }),

  endpoint({
    route: "GET /requests",
    summary: "List requests",
    reply: many(request, { filters: requestFilters }),
    handle: ({ caller }) => caller.all("request"),
  }),

  endpoint({
    route: "GET /accounts/:account/requests",
    summary: "List an account's requests",
    reply: many(request, { filters: requestFilters }),
    handle: async ({ params, caller }) =>
      where("request", { accountId: (await caller.find("account", params.account)).id }),
  }),
];
