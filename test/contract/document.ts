import { openApi } from "@gantry/api";
import type { Fixtures } from "../support/fixtures.js";

export interface Schema {
  type?: string | string[];
  format?: string;
  minimum?: number;
  enum?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
}

export interface Operation {
  parameters?: { name: string; in: string }[];
  requestBody?: { content: { "application/json": { schema: Schema } } };
  responses: Record<string, { content?: { "application/json": { schema: Schema } } }>;
}

export const { paths } = openApi() as { paths: Record<string, Record<string, Operation>> };

/** The JSON schema of an operation's body. */
export function bodyOf(operation: Operation | undefined): Schema | undefined {
  return operation?.requestBody?.content["application/json"].schema;
}

export interface PathParameter {
  name: string;
  /** The collection of the record that the parameter names, as in paths. */
  collection: string;
}

/** The parameters of a path. One names a record of the collection in front of it, with two exceptions. */
export function parametersOf(path: string): PathParameter[] {
  return [...path.matchAll(/([^/]+)\/\{(\w+)\}/g)].map(([, segment = "", name = ""]) => {
    if (name === "request") return { name, collection: "requests" };
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
