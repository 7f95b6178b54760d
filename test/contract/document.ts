import { readFileSync } from "node:fs";
import { openApi } from "@gantry/api";
import type { Fixtures } from "../support/fixtures.js";

export interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  description?: string;
  minimum?: number;
  enum?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  writeOnly?: boolean;
  additionalProperties?: boolean | Schema;
  prefixItems?: Schema[];
}

export interface Parameter {
  $ref?: string;
  name: string;
  in: string;
  description?: string;
  example?: unknown;
}

/** Who may call an operation: the level of access, whether it concerns only the caller itself, whether it is for staff. */
export interface DeclaredAccess {
  level: "anyone" | "read" | "own" | "write" | "admin";
  also_scope?: "read" | "write" | "admin";
  self?: "person" | "token";
  staff?: true;
}

export interface Operation {
  operationId?: string;
  description?: string;
  deprecated?: boolean;
  "x-gantry-alias-of"?: string;
  parameters?: Parameter[];
  requestBody?: { content: { "application/json": { schema: Schema; example?: unknown } } };
  responses: Record<string, Response>;
}

interface Response {
  $ref?: string;
  content?: { "application/json": { schema: Schema } };
}

interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, Schema>;
    parameters: Record<string, Parameter>;
    responses: Record<string, Response>;
  };
}

const { paths: described, components } = openApi() as Document;

/** The operations by path and method, with their parameters, bodies and answers in place of references to them. */
export const paths: Document["paths"] = Object.fromEntries(
  Object.entries(described).map(([path, operations]) => [
    path,
    Object.fromEntries(Object.entries(operations).map(([method, operation]) => [method, resolved(operation)])),
  ]),
);

const committed = JSON.parse(readFileSync(new URL("../../openapi.json", import.meta.url), "utf8")) as {
  paths: Record<string, Record<string, { "x-access": DeclaredAccess }>>;
};

/** Who may call an operation by the committed openapi.json, so that a change of only the code does not change it. */
export function accessOf(path: string, method: string): DeclaredAccess {
  const access = committed.paths[path]?.[method]?.["x-access"];
  if (!access) throw new Error(`openapi.json does not say who may call ${method} ${path}: run npm run openapi`);
  return access;
}

function resolved({ parameters, requestBody, responses, ...operation }: Operation): Operation {
  const content = requestBody?.content["application/json"];
  const answers = Object.entries(responses).map(([status, answer]) => [
    status,
    answer.$ref ? named(components.responses, answer) : answer,
  ]);
  return {
    ...operation,
    responses: Object.fromEntries(answers),
    ...(parameters && {
      parameters: parameters.map((each) => ("$ref" in each ? named(components.parameters, each) : each)),
    }),
    ...(content && {
      requestBody: {
        content: { "application/json": { ...content, schema: complete(content.schema) } },
      },
    }),
  };
}

function named<Part>(parts: Record<string, Part>, { $ref }: { $ref?: string }): Part {
  const part = parts[$ref?.split("/").at(-1) ?? ""];
  if (!part) throw new Error(`the document has no ${$ref}`);
  return part;
}

/** The schema with all that it refers to in place of the references. */
function complete(schema: Schema): Schema {
  const { properties, anyOf, ...rest } = referred(schema);
  const entries = Object.entries(properties ?? {}).map(([name, property]) => [name, complete(property)]);
  return {
    ...rest,
    ...(properties && { properties: Object.fromEntries(entries) }),
    ...(anyOf && { anyOf: anyOf.map(complete) }),
  };
}

/** The schema, or the one that it refers to. */
export function referred(schema: Schema): Schema {
  return schema.$ref ? named(components.schemas, schema) : schema;
}

/** The JSON schema of an operation's body. */
export function bodyOf(operation: Operation | undefined): Schema | undefined {
  return operation?.requestBody?.content["application/json"].schema;
}

export interface PathParameter {
  name: string;
  /** The collection of the record that the parameter names, as in paths. */
  collection: string;
}

/** The parameters of a path. One names a record of the collection in front of it, with three exceptions. */
export function parametersOf(path: string): PathParameter[] {
  return [...path.matchAll(/([^/]+)\/\{(\w+)\}/g)].map(([, segment = "", name = ""]) => {
    if (name === "request") return { name, collection: "requests" };
    if (name === "database_server_snapshot") return { name, collection: "database-server-snapshots" };
    return { name, collection: segment === "locations" ? "provider-locations" : segment };
  });
}

/** The path with the ids of the records that its parameters name. */
export function fillPath(path: string, fixtures: Fixtures): string {
  return parametersOf(path).reduce(
    (filled, { name, collection }) => filled.replace(`{${name}}`, String(fixtures[collection] ?? "unknown")),
    path,
  );
}

/** The name of a record, from its collection's name in paths. */
export function singularOf(collection: string): string {
  return collection
    .replaceAll("-", "_")
    .replace(/sses$/, "ss")
    .replace(/ies$/, "y")
    .replace(/(?<!s)s$/, "");
}
