import { extendZodWithOpenApi, OpenAPIRegistry, OpenApiGeneratorV31 } from "@asteasolutions/zod-to-openapi";
import { field } from "@gantry/resources";
import { z } from "zod";
import { REASON_HEADER } from "../auth/caller.js";
import { IDEMPOTENCY_KEY, isKeyed } from "../calls/idempotency.js";
import { showingEndpoints, shownBy, showsRecord } from "../conditions/shown-by.js";
import type { Endpoint } from "../endpoint.js";
import { mediaTypesOf } from "../media-types.js";
import { operationName } from "./operation-names.js";

extendZodWithOpenApi(z);

/** The body of every error. */
const problem = z
  .object({
    errors: field(z.array(z.string()), ["there is no such record"]),
    code: field(z.string(), "not_found"),
    details: z.array(z.object({ path: field(z.string(), "network.cidr"), message: z.string() })),
    missing: z.string().optional(),
    unpermitted: z.array(z.string()).optional(),
    blocking: z.array(z.url()).optional().describe("The records that prevent the operation"),
    trace_id: field(z.string(), "4bf92f3577b34da6a3ce929d0e0e4736"),
  })
  .openapi("Problem");

/** Generates the document of the endpoints, as their declarations have it. */
export function generated(endpoints: Endpoint[], version: string, baseUrl: string): object {
  const registry = new OpenAPIRegistry();
  registry.register("Problem", problem);
  const bearer = registry.registerComponent("securitySchemes", "token", {
    type: "http",
    scheme: "bearer",
    description: "A token from `POST /tokens`",
  });
  const pathByPattern = new Map<string, string>();
  const showing = showingEndpoints(endpoints);
  for (const endpoint of endpoints) {
    const { method, summary, access, alsoScope, self, staffOnly, body, query, reply } = endpoint;
    const path = canonicalPath(endpoint.path, pathByPattern);
    const names = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name ?? "");
    const shape = { ...query, ...reply.query };
    const streams = reply.alternative === EVENT_STREAM;
    const isShown = showsRecord(endpoint);
    const isConditional = isShown || shownBy(endpoint, showing) !== undefined;
    const headers = {
      ...(isKeyed(endpoint) && { "Idempotency-Key": idempotencyKey }),
      ...(streams && { "Last-Event-ID": lastEventId }),
      ...(isShown && { "If-None-Match": ifNoneMatch }),
      ...(isConditional && !isShown && { "If-Match": ifMatch }),
      ...(access !== "anyone" && access !== "read" && !self && { [REASON_HEADER]: reason }),
    };
    registry.registerPath({
      method: method.toLowerCase() as "get",
      path: path.replace(/:(\w+)/g, "{$1}"),
      operationId: operationIdOf(endpoint),
      summary,
      description: descriptionOf(endpoint),
      tags: [path.split("/")[1] ?? ""],
      ...marksOf(endpoint),
      ...(access === "anyone" && { security: [] }),
      "x-access": {
        level: access,
        ...(alsoScope && { also_scope: alsoScope }),
        ...(self && { self }),
        ...(staffOnly && { staff: true }),
      },
      request: {
        ...(names.length > 0 && { params: z.object(Object.fromEntries(names.map((name) => [name, z.string()]))) }),
        ...(Object.keys(shape).length > 0 && { query: z.object(shape) }),
        ...(Object.keys(headers).length > 0 && { headers: z.object(headers) }),
        ...(body && {
          body: { required: !body.safeParse({}).success, content: { "application/json": { schema: body } } },
        }),
      },
      responses: {
        [reply.status]: {
          description: reply.schema ? "The response" : "Done",
          ...(reply.schema && {
            content: Object.fromEntries(
              mediaTypesOf(reply).map((type) => [type, { schema: type === EVENT_STREAM ? z.string() : reply.schema }]),
            ) as Record<string, { schema: z.ZodType }>,
          }),
        },
        ...(isShown && { 304: { description: "" } }),
        ...Object.fromEntries((reply.refusals ?? []).map((status) => [status, { description: "" }])),
      },
    });
  }
  return new OpenApiGeneratorV31(registry.definitions).generateDocument({
    openapi: "3.1.0",
    info: {
      title: "Gantry",
      version,
      description: [
        "Provisions AWS infrastructure through Requests.",
        "Responses to calls with a token have the headers `RateLimit-Limit`, `RateLimit-Remaining` and `RateLimit-Reset`.",
        "Every response has the version of Gantry in the header `Gantry-Version`.",
        "`x-statuses` lists the statuses that the responses `4XX` and `default` of an operation include.",
      ].join(" "),
      license: { name: "Apache 2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: baseUrl }],
    security: [{ [bearer.name]: [] }],
  });
}

const EVENT_STREAM = "text/event-stream";

const idempotencyKey = field(
  z.string().regex(IDEMPOTENCY_KEY).optional(),
  "network-1",
  "A unique key for this call. A repeated call with the same key is carried out only once and returns the same response",
);

const lastEventId = field(
  z.string().optional(),
  "771-12",
  "The id of the last event that the client read. The stream continues after it; overrides `after`",
);

const ifNoneMatch = field(
  z.string().optional(),
  'W/"5Zk1"',
  "The `ETag` of an earlier response: the response is 304 without a body if the record has not changed since",
);

const ifMatch = field(
  z.string().optional(),
  'W/"5Zk1"',
  "The `ETag` of the record as the caller knows it: the response is 412, and nothing changes, if it has changed since",
);

const reason = field(
  z.string().optional(),
  "ticket 4711: the owner asked for help",
  "Why a staff member who is not a member of the account acts in it. Required for them; the account's owners can read it",
);

function descriptionOf({ method, access, aliasOf, alsoScope, self, staffOnly, reply }: Endpoint): string {
  const needs: Record<string, string> = {
    anyone: "Requires no token.",
    read: "Scope `read`, any role in the account.",
    own: "Scope `write`; only for the caller's own records.",
    write: "Scope `write`, role member.",
    admin: "Scope `admin`, role administrator.",
  };
  const need = staffOnly
    ? `Scope \`${access}\`, for staff.`
    : self
      ? `Scope \`${method === "GET" ? "read" : "write"}\`; only for the caller's own records.`
      : needs[access];
  const sentences = [need ?? ""];
  if (self === "person") sentences.push("Requires a person's token that is not limited to accounts.");
  if (alsoScope) sentences.push(`Also requires the scope \`${alsoScope}\`.`);
  if (reply.secret)
    sentences.push(
      `Only this response shows the secret \`${reply.secret}\`; a response repeated for an \`Idempotency-Key\` has null instead.`,
    );
  if (reply.linksRequest)
    sentences.push(
      'The header `Link` has the Request that applies the change in AWS, with `rel="monitor"`, if there is one.',
    );
  if (method === "PATCH" || aliasOf?.method === "PATCH") sentences.push("Absent attributes do not change.");
  return sentences.join(" ");
}

function operationIdOf({ method, path, operation }: Pick<Endpoint, "method" | "path" | "operation">): string {
  return operation ?? operationName(method, path);
}

/** Marks what clients need not offer: other names of an operation, and lists that are always empty. */
function marksOf({ aliasOf, isAlwaysEmpty }: Endpoint): object {
  return {
    ...((aliasOf || isAlwaysEmpty) && { deprecated: true }),
    ...(aliasOf && { "x-gantry-alias-of": operationIdOf(aliasOf) }),
    ...(isAlwaysEmpty && { "x-gantry-empty": true }),
  };
}

/**
 * The path that the document uses: endpoints of one path share the parameter names of the first, as OpenAPI requires.
 */
function canonicalPath(path: string, pathByPattern: Map<string, string>): string {
  const pattern = path.replace(/:\w+/g, ":");
  const canonical = pathByPattern.get(pattern) ?? path;
  pathByPattern.set(pattern, canonical);
  return canonical;
}
