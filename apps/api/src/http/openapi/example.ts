import { sample } from "openapi-sampler";
import type { Schema } from "./schemas.js";

/**
 * Returns an example of what a schema describes, from the examples of its fields: of the required ones, or of all if none
 * is required.
 */
export function exampleOf(schema: Schema, document: object): unknown {
  const [, section, name] = /^#\/components\/(\w+)\/(\w+)$/.exec(schema.$ref ?? "") ?? [];
  const { components = {} } = document as { components?: Record<string, Record<string, Schema>> };
  const described = (section && name && components[section]?.[name]) || schema;
  return sample(completed(described) as object, { skipNonRequired: true, quiet: true }, document);
}

function completed(schema: Schema): Schema {
  const { properties, required = Object.keys(properties ?? {}) } = schema;
  if (!properties) return schema;
  const inner = Object.entries(properties).map(([name, property]) => [name, completed(property)]);
  return { ...schema, required, properties: Object.fromEntries(inner) };
}
