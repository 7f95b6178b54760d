import { extendZodWithOpenApi, OpenAPIRegistry, OpenApiGeneratorV31 } from "@asteasolutions/zod-to-openapi";
import { z } from "zod";
import type { Endpoint } from "./endpoint.js";
import { IDEMPOTENCY_KEY } from "./idempotency.js";

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

/** The OpenAPI 3.1 description of the endpoints; `baseUrl` is the address of the server. */
export function describe(endpoints: Endpoint[], version: string, baseUrl: string): object {
  const registry = new OpenAPIRegistry();
  registry.register("Problem", problem);
  const bearer = registry.registerComponent("securitySchemes", "token", { type: "http", scheme: "bearer" });
  const pathByPattern = new Map<string, string>();
  for (const endpoint of endpoints) {
    const { method, summary, access, body, query, reply, secret } = endpoint;
    const path = canonicalPath(endpoint.path, pathByPattern);
    const names = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name ?? "");
    const shape = { ...query, ...reply.query };
    const keyed = method !== "GET" && access !== "anyone" && !secret;
    registry.registerPath({
      method: method.toLowerCase() as "get",
      path: path.replace(/:(\w+)/g, "{$1}"),
      operationId: operationId(method, endpoint.path),
      summary,
      tags: [path.split("/")[1] ?? ""],
      security: access === "anyone" ? [] : [{ [bearer.name]: [] }],
      request: {
        ...(names.length > 0 && { params: z.object(Object.fromEntries(names.map((name) => [name, z.string()]))) }),
        ...(Object.keys(shape).length > 0 && { query: z.object(shape) }),
        ...(keyed && { headers: z.object({ "Idempotency-Key": z.string().regex(IDEMPOTENCY_KEY).optional() }) }),
        ...(body && {
          body: { required: !body.safeParse({}).success, content: { "application/json": { schema: body } } },
        }),
      },
      responses: {
        [reply.status]: {
          description: summary,
          ...(reply.schema && { content: { [reply.mediaType ?? "application/json"]: { schema: reply.schema } } }),
        },
        default: { description: "What went wrong", content: { "application/json": { schema: problem } } },
      },
    });
  }
  const document = new OpenApiGeneratorV31(registry.definitions).generateDocument({
    openapi: "3.1.0",
    info: {
      title: "Gantry",
      version,
      description: "Provisions AWS infrastructure through Requests.",
    },
    servers: [{ url: baseUrl }],
  });
  const described = JSON.parse(JSON.stringify(document, withoutFlags)) as Described;
  for (const operation of Object.values(described.paths).flatMap((operations) => Object.values(operations))) {
    const { required = true, content = {} } = operation.requestBody ?? {};
    for (const body of Object.values(content)) {
      allowNulls(body.schema);
      if (!required) body.schema = orNull(body.schema);
    }
  }
  return described;
}

interface Schema {
  type?: string | string[];
  properties?: Record<string, Schema>;
  required?: string[];
  enum?: unknown[];
  anyOf?: Schema[];
}

interface Described {
  paths: Record<
    string,
    Record<string, { requestBody?: { required?: boolean; content: Record<string, { schema: Schema }> } }>
  >;
}

/** Allows null for optional parameters, which the frame reads as absence. */
function allowNulls({ properties = {}, required = [] }: Schema): void {
  for (const [name, property] of Object.entries(properties)) {
    allowNulls(property);
    if (!required.includes(name)) properties[name] = orNull(property);
  }
}

function orNull(schema: Schema): Schema {
  const { type, anyOf } = schema;
  if (anyOf) return { ...schema, anyOf: [...anyOf, { type: "null" }] };
  if (type === undefined || "const" in schema) return { anyOf: [schema, { type: "null" }] };
  const types = [type].flat();
  if (types.includes("null")) return schema;
  return { ...schema, type: [...types, "null"], ...(schema.enum && { enum: [...schema.enum, null] }) };
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

function operationId(method: string, path: string): string {
  const words = path.split(/[/:_-]+/).filter(Boolean);
  return [method.toLowerCase(), ...words.map((word) => `${word[0]?.toUpperCase()}${word.slice(1)}`)].join("");
}
