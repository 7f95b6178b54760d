import { extendZodWithOpenApi, OpenAPIRegistry, OpenApiGeneratorV31 } from "@asteasolutions/zod-to-openapi";
import { fieldOf, type Model } from "@gantry/db";
import { z } from "zod";
import type { Endpoint } from "./endpoint.js";
import { IDEMPOTENCY_KEY } from "./idempotency.js";
import { EXAMPLE_UUID, exampleOf, exampleOfRequest } from "./openapi-examples.js";
import { allowNulls, type Parameter, type Schema, simplified } from "./openapi-schemas.js";
import { operationName } from "./operation-names.js";
import { isValidId } from "./rows.js";

extendZodWithOpenApi(z);

const problem = z
  .object({
    errors: z.array(z.string()),
    code: z.string(),
    details: z.array(z.object({ path: z.string(), message: z.string() })),
    missing: z.string().optional(),
    unpermitted: z.array(z.string()).optional(),
    blocking: z.array(z.url()).optional().describe("The records that are in the way"),
    trace_id: z.string(),
  })
  .openapi("Problem");

/** Refusals that an operation declares, by status. */
const REFUSALS: Readonly<Record<number, string>> = {
  401: "The token is missing, unknown, revoked or has ended",
  403: "The token lacks the scope, or its user the role, for this",
  404: "There is no such record in the caller's accounts; the sentence names what was sought",
  409: "The state of the record forbids it; `blocking` names what is in the way",
  422: "The input is wrong; `details` names each field",
  429: "There were too many calls; `Retry-After` tells when to go on",
  503: "The database cannot be reached or is busy, or a limit of the process is; `Retry-After` tells when to go on",
};

const HEADERS: Readonly<Record<string, { description: string; schema: Schema; example: unknown }>> = {
  Link: {
    description: "The pages around this one, by `rel`: next, prev, last",
    schema: { type: "string" },
    example: '<http://127.0.0.1:3000/servers?page=2>; rel="next"',
  },
  "X-Total-Count": { description: "The number of records of all pages", schema: { type: "integer" }, example: 42 },
  "RateLimit-Limit": { description: "The calls of a minute", schema: { type: "integer" }, example: 3000 },
  "RateLimit-Remaining": { description: "What is left of them", schema: { type: "integer" }, example: 2999 },
  "RateLimit-Reset": { description: "Seconds until the next minute", schema: { type: "integer" }, example: 42 },
  "Retry-After": { description: "Seconds to wait before the next try", schema: { type: "integer" }, example: 5 },
};

const RATES = ["RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"];

/** Parameters that many operations have alike stand once in the document. */
const SHARED = ["page", "per_page", "cursor", "deleted", "with_deleted", "dry_run", "Idempotency-Key"];

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
  for (const operations of Object.values(document.paths))
    for (const operation of Object.values(operations)) complete(operation, document);
  for (const [name, schema] of Object.entries(components.schemas))
    if (schema.properties && !name.endsWith("Input")) schema.example = exampleOf(schema, name, components.schemas);
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
    const [opened] = reply.opens ?? [];
    registry.registerPath({
      method: method.toLowerCase() as "get",
      path: path.replace(/:(\w+)/g, "{$1}"),
      operationId: operation ?? operationName(method, endpoint.path),
      summary,
      description: descriptionOf(endpoint),
      tags: [path.split("/")[1] ?? ""],
      security: access === "anyone" ? [] : [{ [bearer.name]: [] }],
      "x-access": {
        level: access,
        ...(alsoScope && { also_scope: alsoScope }),
        ...(self && { self }),
        ...(staffOnly && { staff: true }),
      },
      request: {
        ...(names.length > 0 && { params: z.object(Object.fromEntries(names.map((name) => [name, z.string()]))) }),
        ...(Object.keys(shape).length > 0 && { query: z.object(shape) }),
        ...(keyed && { headers: z.object({ "Idempotency-Key": idempotencyKey }) }),
        ...(body && {
          body: { required: !body.safeParse({}).success, content: { "application/json": { schema: body } } },
        }),
      },
      responses: {
        [reply.status]: {
          description: summary,
          ...(reply.schema && {
            content: Object.fromEntries(
              mediaTypes.map((type) => [
                type,
                {
                  schema: type === EVENT_STREAM ? z.string() : reply.schema,
                  ...(opened && opened !== "any" && { example: exampleOfRequest(opened, path) }),
                },
              ]),
            ) as Record<string, { schema: z.ZodType }>,
          }),
        },
        default: { description: "What went wrong", content: { "application/json": { schema: problem } } },
      },
    });
  }
  return new OpenApiGeneratorV31(registry.definitions).generateDocument({
    openapi: "3.1.0",
    info: {
      title: "Gantry",
      version,
      description: "Provisions AWS infrastructure through Requests.",
      license: { name: "Apache 2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: baseUrl }],
  });
}

const EVENT_STREAM = "text/event-stream";

const idempotencyKey = z
  .string()
  .regex(IDEMPOTENCY_KEY)
  .optional()
  .describe("A name of this call: repeated with it, the call is done once and answers the same");

interface Operation {
  operationId: string;
  tags: string[];
  security: object[];
  parameters?: (Parameter | { $ref: string })[];
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
    parameters: Record<string, unknown>;
    responses: Record<string, unknown>;
    headers: Record<string, unknown>;
  };
}

function refusals(): Record<string, object> {
  return Object.fromEntries(
    Object.entries(REFUSALS).map(([status, description]) => [
      `Refusal${status}`,
      {
        description,
        ...(["429", "503"].includes(status) && { headers: { "Retry-After": header("Retry-After") } }),
        content: { "application/json": { schema: { $ref: "#/components/schemas/Problem" } } },
      },
    ]),
  );
}

const header = (name: string) => ({ $ref: `#/components/headers/${name}` });

function tagsOf({ paths }: Document): { name: string; description: string }[] {
  const names = new Set(
    Object.values(paths).flatMap((operations) => Object.values(operations).flatMap(({ tags }) => tags)),
  );
  return [...names].map((name) => ({ name, description: `What one can do with ${name.replaceAll(/[-_]/g, " ")}` }));
}

/** Names the body, shares parameters, declares headers and refusals, and gives examples. */
function complete(operation: Operation, { components }: Document): void {
  const { parameters = [], requestBody, responses, operationId } = operation;
  const { schemas } = components;
  operation.parameters = (parameters as Parameter[]).map((parameter) => {
    const told = withExample(simplified(parameter), schemas);
    if (!SHARED.includes(told.name)) return told;
    const name = pascalName(told.name);
    components.parameters[name] = told;
    return { $ref: `#/components/parameters/${name}` };
  });
  for (const content of Object.values(requestBody?.content ?? {})) {
    allowNulls(content.schema);
    const shared = operationId.replace(/^patch/, "update");
    const name = `${shared.charAt(0).toUpperCase()}${shared.slice(1)}Input`;
    schemas[name] = content.schema;
    content.schema = { $ref: `#/components/schemas/${name}` };
    content.example = exampleOf(content.schema, name, schemas);
  }
  const isPaged = parameters.some((parameter) => "name" in parameter && parameter.name === "per_page");
  for (const response of Object.values(responses)) {
    response.headers = Object.fromEntries(
      [...(isPaged ? ["Link", "X-Total-Count"] : []), ...RATES].map((name) => [name, header(name)]),
    );
  }
  for (const status of refusalsOf(operation)) responses[status] ??= { $ref: `#/components/responses/Refusal${status}` };
}

function refusalsOf({ parameters = [], requestBody, security, responses }: Operation): string[] {
  const isChange = !("200" in responses) || requestBody !== undefined;
  const namesRecord = parameters.some((parameter) => "in" in parameter && parameter.in === "path");
  return [
    ...(security.length > 0 ? ["401", "403"] : ["401"]),
    ...(namesRecord || requestBody ? ["404"] : []),
    ...(isChange ? ["409"] : []),
    ...(parameters.length > 0 || requestBody ? ["422"] : []),
    "429",
    "503",
  ];
}

function withExample(parameter: Parameter, schemas: Record<string, Schema>): Parameter {
  const { name, schema, description = `Only records with one of these values of \`${name}\`` } = parameter;
  if (parameter.in !== "path") {
    const example = exampleOf(schema, name, schemas);
    return { ...parameter, description, ...(example !== undefined && { example }) };
  }
  const what = name.replace(/_id$/, "");
  const isNumber = isValidId(fieldOf(what) as Model, 1);
  const words = what
    .replaceAll("_", " ")
    .replace(/(?=[A-Z])/g, " ")
    .toLowerCase();
  return { ...parameter, description: `The id of the ${words}`, example: isNumber ? "1" : EXAMPLE_UUID };
}

function pascalName(name: string): string {
  return name
    .split(/[-_]/)
    .map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`)
    .join("");
}

function descriptionOf({ summary, method, access, alsoScope, self, staffOnly, reply }: Endpoint): string {
  const needs: Record<string, string> = {
    anyone: "Needs no token.",
    read: "Needs the scope `read` and any role in the account.",
    own: "Needs the scope `write`; concerns what is the caller's own.",
    write: "Needs the scope `write` and the role of a member.",
    admin: "Needs the scope `admin` and the role of an administrator.",
  };
  const need = staffOnly
    ? `Needs the scope \`${access}\` and a member of the staff.`
    : self
      ? `Needs the scope \`${method === "GET" ? "read" : "write"}\`; concerns what is the caller's own.`
      : needs[access];
  const sentences = [`${summary}.`, need ?? ""];
  if (self === "person") sentences.push("Needs a person's token that is not limited to accounts.");
  if (alsoScope) sentences.push(`Needs the scope \`${alsoScope}\` too.`);
  if (reply.opens)
    sentences.push("Answers at once with a Request; follow it by its events, or by `GET /requests/:request?wait=60`.");
  if (reply.secret)
    sentences.push(
      `The answer shows the secret \`${reply.secret}\` this once: an answer repeated for an \`Idempotency-Key\` has null there.`,
    );
  if (method === "PATCH") sentences.push("The same as PUT: absent attributes stay as they are.");
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
