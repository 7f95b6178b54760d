import { Prisma } from "@gantry/db";
import { AUTOMATION, automationSchema, cloudObject, field, message, request, stage, user } from "@gantry/resources";
import { z } from "zod";
import { endpoint } from "../../http/endpoint.js";
import { NEWEST_FIRST } from "../../http/lists/page.walk.js";
import { many } from "../../http/reply/list.js";
import { json, one } from "../../http/reply/reply.js";
import { type Order, where } from "../../http/rows/rows.js";
import { childRows } from "../child-rows.js";
import { listChildren, listRecords, showRecord } from "../record-endpoints.js";
import { findVisibleUser } from "../users/user.visibility.js";
import { cancel } from "./cancel.js";
import { requestList, requestsOn } from "./request.filters.js";

const list = many(request, requestList);

const requester = z.union([z.object({ user: user.record }), z.object({ request: request.record }), automationSchema]);

const checks = z.object({
  checks: z.array(
    z
      .object({
        stage: field(z.string(), "create"),
        check: field(z.string(), "credentials", "What was checked"),
        region: field(
          z.string().nullable(),
          "us-east-1",
          "Null if the check concerns the whole AWS account or Gantry itself",
        ),
        result: z.enum(["ok", "warning", "fails"]),
        reason: field(z.string(), "the role can be assumed"),
        remedy: field(z.string().nullable(), "add the permission to the role", "What to do"),
        who: z.enum(["owner", "operator", "aws"]).nullable().describe("Who can do it"),
      })
      .meta({ id: "Check" }),
  ),
});

const OLDEST_FIRST: Order<"cloudObject"> = {
  ...NEWEST_FIRST,
  descending: false,
  valueOf: ({ createdAt }) => createdAt,
};

export const requestEndpoints = [
  endpoint({
    route: "GET /requests/:request",
    summary: "Show a request; with `wait`, responds when it finishes",
    query: { wait: z.coerce.number().min(0).max(60).default(0).describe("Seconds to wait for the request to finish") },
    reply: one(request),
    handle: async ({ params, query, caller, completions, identities, hasLeft }) => {
      const read = async () => {
        await caller.renew(identities.refresh);
        return caller.find("request", params.request);
      };
      const current = await caller.find("request", params.request);
      if (query.wait === 0 || current.finishedAt) return current;
      const isFinal = ({ finishedAt }: typeof current) => finishedAt !== null;
      return completions.waitFor(current.id, query.wait, { read, isFinal, hasLeft });
    },
  }),

  listRecords("GET /requests", "List requests", list, "request"),

  listChildren("GET /accounts/:account/requests", "List an account's requests", list, "request", "account"),

  endpoint({
    route: "GET /users/:user/requests",
    summary: "List a user's requests in the caller's accounts",
    reply: list,
    handle: async ({ params, caller, db }) => {
      const { id } = await findVisibleUser(db, caller, params.user);
      const ofUser = where("request", { userId: id });
      const inParts = { ...caller.all("request"), checked: ofUser.where };
      return { ...ofUser, checked: caller.visible, inParts };
    },
  }),

  endpoint({
    route: "GET /environments/:environment/requests",
    summary: "List the requests on an environment and its servers",
    reply: list,
    handle: async ({ params, caller }) => {
      const { id } = await caller.find("environment", params.environment);
      return requestsOn(Prisma.sql`SELECT 'environment' AS scope_type, ${String(id)} AS scope_id
        UNION ALL SELECT 'server', id::text FROM servers WHERE environment_id = ${id}`);
    },
  }),

  endpoint({
    route: "GET /requests/:request/stages",
    summary: "List the stages that a request has reached, in order",
    reply: many(stage),
    handle: async ({ params, caller, db }) => {
      const { id } = await caller.find("request", params.request);
      return db.requestStage.findMany({ where: { requestId: id }, orderBy: { position: "asc" } });
    },
  }),

  endpoint({
    route: "GET /requests/:request/dependencies",
    summary: "List the child requests of a request",
    reply: list,
    handle: async ({ params, caller }) =>
      where("request", { parentId: (await caller.find("request", params.request)).id }),
  }),

  endpoint({
    route: "GET /requests/:request/cloud-objects",
    summary: "List the cloud objects that a request creates, without those of its children",
    reply: many(cloudObject),
    handle: async ({ params, caller }) => ({
      ...(await childRows(caller, "cloudObject", { request: params.request })),
      order: OLDEST_FIRST,
    }),
  }),

  listChildren(
    "GET /requests/:request/messages",
    "List a request's messages",
    many(message),
    "requestMessage",
    "request",
  ),

  endpoint({
    route: "GET /requests/:request/checks",
    summary: "Show the report of a provider check, so far; empty for requests of other types",
    reply: json(checks),
    handle: async ({ params, caller }) => {
      const { type, report } = await caller.find("request", params.request);
      return checks.parse(type === "check_provider" && report ? report : { checks: [] });
    },
  }),

  endpoint({
    route: "GET /requests/:request/requester",
    summary: "Show a request's requester: a user, another request or the automation",
    reply: json(requester),
    handle: async ({ params, caller, db, link }) => {
      const { userId, parentId } = await caller.find("request", params.request);
      if (userId) return { user: user.serialize(await db.user.findUniqueOrThrow({ where: { id: userId } }), link) };
      if (parentId) return { request: request.serialize(await caller.find("request", parentId), link) };
      return { automation: AUTOMATION };
    },
  }),

  showRecord("GET /requests/:request/callback", "Show the request to which this URL reports", one(request), "request"),

  endpoint({
    route: "POST /requests/:request/cancel",
    summary: "Cancel an unfinished request and its child requests",
    reply: one(request),
    handle: async ({ params, caller, db, wake }) => cancel(db, await caller.find("request", params.request), wake),
  }),
];
