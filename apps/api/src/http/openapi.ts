import { extendZodWithOpenApi, OpenAPIRegistry, OpenApiGeneratorV31 } from "@asteasolutions/zod-to-openapi";
import { z } from "zod";
import { REASON_HEADER } from "./caller.js";
import type { Endpoint } from "./endpoint.js";
import { IDEMPOTENCY_KEY } from "./idempotency.js";
import { exampleId, exampleOf } from "./openapi-examples.js";
import { allowNulls, type Parameter, type Schema, simplified } from "./openapi-schemas.js";
import { type Place, shared } from "./openapi-sharing.js";
import { operationName, pascal } from "./operation-names.js";

extendZodWithOpenApi(z);

const problem = z
  .object({
    errors: z.array(z.string()),
    code: z.string(),
    details: z.array(z.object({ path: z.string(), message: z.string() })),
    missing: z.string().optional(),
    unpermitted: z.array(z.string()).optional(),
    blocking: z.array(z.url()).optional().describe("The records that prevent the operation"),
    trace_id: z.string(),
  })
  .openapi("Problem");

/** Refusals that operations declare one by one, by status. */
const REFUSALS: Readonly<Record<number, string>> = {
  409: "The state of the record prevents the operation; `blocking` lists the records in the way",
  410: "The requested data is no longer kept",
  503: "The database is unreachable or busy, or the process has reached a limit; retry after `Retry-After` seconds",
};

/** Refusals that every operation has, by status: one answer declares them all. */
const REFUSALS_OF_ALL: Readonly<Record<"4XX" | "default", Readonly<Record<number, string>>>> = {
  "4XX": {
    400: "The call is malformed",
    401: "The token is missing, unknown, revoked or expired",
    403: "The token lacks the scope, or the user lacks the role",
    404: "The record does not exist in the caller's accounts",
    405: "The path does not support the method",
    406: "No response has the media type in `Accept`",
    408: "The call took too long to arrive",
    413: "The body is too large",
    415: "The media type or character set of the body is not supported",
    422: "The input is invalid; `details` lists each field",
    429: "Too many calls; retry after `Retry-After` seconds",
    431: "The headers are too large",
  },
  default: { 500: "Internal error of Gantry" },
};

const HEADERS: Readonly<Record<string, { description: string; schema: Schema; example: unknown }>> = {
  Link: {
    description: "Links to other pages, by `rel`: next, prev, last. Only a page without next is the last",
    schema: { type: "string" },
    example: '<http://127.0.0.1:3000/servers?page=2>; rel="next"',
  },
  "X-Total-Count": {
    description: "The number of records on all pages; an estimate if `X-Total-Count-Estimated` is present",
    schema: { type: "integer" },
    example: 42,
  },
  "X-Total-Count-Estimated": {
    description: "Present if the total is an estimate, because there are too many records to count",
    schema: { type: "string", enum: ["true"] },
    example: "true",
  },
  "RateLimit-Limit": { description: "The limit of calls per minute", schema: { type: "integer" }, example: 3000 },
  "RateLimit-Remaining": { description: "The remaining calls", schema: { type: "integer" }, example: 2999 },
  "RateLimit-Reset": { description: "Seconds until the next minute", schema: { type: "integer" }, example: 42 },
  "Retry-After": { description: "Seconds to wait before the next attempt", schema: { type: "integer" }, example: 5 },
};

/**
 * The OpenAPI 3.1 description of the endpoints, in the form that generators of clients read best: each operation and each
 * body has a name, and each parameter a description and an example.
 *
 * @param baseUrl the address of the server
 */
export function describe(endpoints: Endpoint[], version: string, baseUrl: string): object {
  const document = JSON.parse(JSON.stringify(generated(endpoints, version, baseUrl), withoutFlags)) as Document;
  const components = { ...document.components, parameters: {}, responses: refusals(), headers: HEADERS };
  document.components = components;
  document.tags = tagsOf(document);
  const operations = Object.values(document.paths).flatMap((methods) => Object.entries(methods));
  for (const [method, operation] of operations) complete(method, operation, document);
  for (const [name, schema] of Object.entries(components.schemas))
    if (schema.properties && !name.endsWith("Input")) schema.example = exampleOf(schema, name, document, name);
  const all = operations.map(([, operation]) => operation);
  Object.assign(components.responses, shared("responses", all.flatMap(answersOf)));
  components.parameters = shared("parameters", all.flatMap(parametersOf));
  Object.assign(components.parameters, shared("parameters", all.flatMap(parametersOfListsOf)));
  const inputs = Object.entries(components.schemas).flatMap(([name, schema]) =>
    name.endsWith("Input") ? [schema] : [],
  );
  Object.assign(components.schemas, shared("schemas", inputs.flatMap(longValuesOf)));
  return document;
}

function generated(endpoints: Endpoint[], version: string, baseUrl: string): object {
  const registry = new OpenAPIRegistry();
  registry.register("Problem", problem);
  const bearer = registry.registerComponent("securitySchemes", "token", {
    type: "http",
    scheme: "bearer",
    description: "A token from `POST /tokens`",
  });
  const pathByPattern = new Map<string, string>();
  for (const endpoint of endpoints) {
    const { method, operation, summary, access, alsoScope, self, staffOnly, body, query, reply, rate } = endpoint;
    const path = canonicalPath(endpoint.path, pathByPattern);
    const names = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name ?? "");
    const shape = { ...query, ...reply.query };
    const keyed = method !== "GET" && rate !== "report";
    const mediaTypes = [reply.mediaType ?? "application/json", ...(reply.alternative ? [reply.alternative] : [])];
    const streams = reply.alternative === EVENT_STREAM;
    const headers = {
      ...(keyed && { "Idempotency-Key": idempotencyKey }),
      ...(streams && { "Last-Event-ID": lastEventId }),
      ...(access !== "anyone" && access !== "read" && !self && { [REASON_HEADER]: reason }),
    };
    registry.registerPath({
      method: method.toLowerCase() as "get",
      path: path.replace(/:(\w+)/g, "{$1}"),
      operationId: operation ?? operationName(method, endpoint.path),
      summary,
      description: descriptionOf(endpoint),
      tags: [path.split("/")[1] ?? ""],
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
              mediaTypes.map((type) => [type, { schema: type === EVENT_STREAM ? z.string() : reply.schema }]),
            ) as Record<string, { schema: z.ZodType }>,
          }),
        },
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
        "`x-statuses` lists the statuses that the responses `4XX` and `default` of an operation include.",
      ].join(" "),
      license: { name: "Apache 2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: baseUrl }],
    security: [{ [bearer.name]: [] }],
  });
}

const EVENT_STREAM = "text/event-stream";

const idempotencyKey = z
  .string()
  .regex(IDEMPOTENCY_KEY)
  .optional()
  .describe(
    "A unique key for this call. A repeated call with the same key is carried out only once and returns the same response",
  );

const lastEventId = z
  .string()
  .optional()
  .describe("The id of the last event that the client read. The stream continues after it; overrides `after`");

const reason = z
  .string()
  .optional()
  .describe(
    "Why a staff member who is not a member of the account acts in it. Required for them; the account's owners can read it",
  );

interface Operation {
  operationId: string;
  tags: string[];
  /** Empty if the operation needs no token; absent if it needs one, as the document says for all. */
  security?: [];
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Record<string, Content> };
  responses: Record<string, Response>;
}

interface Content {
  schema: Schema;
  example?: unknown;
}

interface Response {
  $ref?: string;
  description?: string;
  headers?: Record<string, { $ref: string }>;
  content?: Record<string, Content>;
}

interface Document {
  tags?: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, Schema & { example?: unknown }>;
    parameters: Record<string, object>;
    responses: Record<string, object>;
    headers: Record<string, object>;
  };
}

function refusals(): Record<string, object> {
  const content = { "application/json": { schema: { $ref: "#/components/schemas/Problem" } } };
  const single = Object.entries(REFUSALS).map(([status, description]) => [
    refusalName(status),
    { description, ...(status === "503" && { headers: headersOf([AFTER]) }), content },
  ]);
  const ofAll = Object.entries(REFUSALS_OF_ALL).map(([range, statuses]) => [
    refusalName(range),
    {
      description: Object.entries(statuses)
        .map(([status, description]) => `${status}: ${description}`)
        .join(". "),
      ...("429" in statuses && { headers: headersOf([...RATES, AFTER]) }),
      content,
      "x-statuses": statuses,
    },
  ]);
  return Object.fromEntries([...single, ...ofAll]);
}

const AFTER = "Retry-After";
const PAGE = ["Link", "X-Total-Count", "X-Total-Count-Estimated"];
const RATES = ["RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"];

function headersOf(names: string[]): Record<string, { $ref: string }> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function tagsOf({ paths }: Document): { name: string; description: string }[] {
  const names = new Set(
    Object.values(paths).flatMap((operations) => Object.values(operations).flatMap(({ tags }) => tags)),
  );
  return [...names].map((name) => ({ name, description: `Operations on ${name.replaceAll(/[-_]/g, " ")}` }));
}

/** Names the body, declares headers and refusals, and adds examples. */
function complete(method: string, operation: Operation, document: Document): void {
  const { parameters = [], requestBody, responses, operationId } = operation;
  operation.parameters = parameters.map((parameter) => withExample(simplified(parameter), document));
  for (const content of Object.values(requestBody?.content ?? {})) {
    allowNulls(content.schema);
    const both = operationId.replace(/^patch/, "update");
    const name = `${both.charAt(0).toUpperCase()}${both.slice(1)}Input`;
    document.components.schemas[name] = content.schema;
    content.schema = { $ref: `#/components/schemas/${name}` };
    content.example = exampleOf(content.schema, name, document);
  }
  const isPaged = parameters.some(({ name }) => name === "per_page");
  if (isPaged) for (const response of Object.values(responses)) response.headers = headersOf(PAGE);
  const own = Object.keys(responses).filter((status) => status >= "400");
  for (const status of [...own, ...(method === "get" ? [] : ["409"]), "503", ...Object.keys(REFUSALS_OF_ALL)])
    responses[status] = { $ref: `#/components/responses/${refusalName(status)}` };
}

const refusalName = (status: string) => `Refusal${status.replace("default", "")}`;

function withExample(parameter: Parameter, document: Document): Parameter {
  const { name, schema, description = `Only records with one of these values of \`${name}\`` } = parameter;
  if (parameter.in !== "path") {
    const example = exampleOf(schema, name, document);
    return { ...parameter, description, ...(example !== undefined && { example }) };
  }
  const words = name
    .replace(/_id$/, "")
    .replaceAll("_", " ")
    .replace(/(?=[A-Z])/g, " ")
    .toLowerCase();
  return { ...parameter, description: `The id of the ${words}`, example: exampleId(name) };
}

/** The places of an operation's parameters, by names for the components. */
function parametersOf(operation: Operation): Place[] {
  return (operation.parameters ?? []).flatMap((parameter, index, parameters) => {
    if (parameter.$ref) return [];
    const name = parameter.in === "path" ? `${parameter.name.replace(/_id$/, "")}_id` : parameter.name;
    const replace = (reference: { $ref: string }) => {
      parameters[index] = reference as Parameter;
    };
    return [{ name: pascal(name), value: parameter, replace }];
  });
}

/** The places of a list's parameters that differ from those of other lists, such as the states of its records. */
function parametersOfListsOf(operation: Operation): Place[] {
  const list = operation.responses["200"]?.$ref?.split("/").at(-1);
  if (!list?.endsWith("List")) return [];
  return parametersOf(operation).map((place) => ({ ...place, name: `${list}${place.name}` }));
}

/** The places of a body's values whose schemas are much longer than a reference, such as those of tags. */
function longValuesOf({ properties = {}, anyOf = [] }: Schema): Place[] {
  const own = Object.entries(properties).flatMap(([name, value]) => {
    if (value.properties || value.anyOf) return longValuesOf(value);
    if (JSON.stringify(value).length < LONG) return [];
    const kind = [value.type].flat().includes("null") ? "Optional" : "";
    const replace = (reference: { $ref: string }) => {
      properties[name] = reference;
    };
    return [{ name: `${kind}${pascal(name)}Value`, value, replace }];
  });
  return [...own, ...anyOf.flatMap(longValuesOf)];
}

const LONG = 150;

/** The places of an operation's answers that show one record, records of one kind, or a Request. */
function answersOf({ responses }: Operation): Place[] {
  return Object.entries(responses).flatMap(([status, response]) => {
    const schema = response.content?.["application/json"]?.schema;
    const shown = schema && shownBy(schema);
    if (!shown) return [];
    response.description = shown.description;
    return [
      {
        name: shown.name,
        value: response,
        replace: (reference) => {
          responses[status] = reference;
        },
      },
    ];
  });
}

const REQUEST_ANSWER =
  "The Request, or its plan with `dry_run=true`. To follow the Request, read its events or call `GET /requests/:request?wait=60`";

function shownBy({ anyOf, properties = {} }: Schema): { name: string; description: string } | undefined {
  if (anyOf?.some(({ $ref }) => $ref?.endsWith("/RequestAnswer")))
    return { name: "Request", description: REQUEST_ANSWER };
  const [[field, { $ref, items }] = ["", {}], ...more] = Object.entries(properties);
  const name = ($ref ?? items?.$ref)?.split("/").at(-1);
  if (more.length > 0 || field === "") return undefined;
  const words = field.replaceAll("_", " ");
  if (!name) return { name: `${pascal(field)}Answer`, description: `The ${words}` };
  return $ref ? { name, description: `The ${words}` } : { name: `${name}List`, description: `A list of ${words}` };
}

function descriptionOf({ method, access, alsoScope, self, staffOnly, reply }: Endpoint): string {
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
  if (method === "PATCH") sentences.push("Same as PUT: absent attributes do not change.");
  return sentences.join(" ");
}

// The generator appends a pattern's flags, which JSON Schema reads as letters.
function withoutFlags(key: string, value: unknown): unknown {
  return key === "pattern" && typeof value === "string" ? value.replace(/(?<=\$)\/[a-z]+$/, "") : value;
}

/** The path that the document uses: endpoints of one path share the parameter names of the first, as OpenAPI demands. */
function canonicalPath(path: string, pathByPattern: Map<string, string>): string {
  const pattern = path.replace(/:\w+/g, ":");
  const canonical = pathByPattern.get(pattern) ?? path;
  pathByPattern.set(pattern, canonical);
  return canonical;
}
