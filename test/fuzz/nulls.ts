import type { Document, Schema } from "./existing-ids.js";

/**
 * Adds null to the schemas of optional parameters with a default, and of optional bodies. The API treats null as
 * absence everywhere; its document omits it if generated clients cannot handle it.
 */
export function withNulls(document: Document): Document {
  const copy = structuredClone(document);
  for (const [name, schema] of Object.entries(copy.components.schemas)) if (name.endsWith("Input")) allowNulls(schema);
  for (const operation of Object.values(copy.paths).flatMap((operations) => Object.values(operations))) {
    const { requestBody } = operation;
    if (!requestBody || requestBody.required) continue;
    for (const media of Object.values(requestBody.content)) media.schema = orNull(media.schema);
  }
  return copy;
}

function allowNulls(schema: Schema): void {
  const { properties = {}, required = [], anyOf = [], items } = schema;
  for (const [name, property] of Object.entries(properties)) {
    allowNulls(property);
    if (!required.includes(name) && property.default !== undefined) properties[name] = orNull(property);
  }
  for (const inner of items ? [...anyOf, items] : anyOf) allowNulls(inner);
}

function orNull(schema: Schema): Schema {
  return { anyOf: [schema, { type: "null" }] };
}
