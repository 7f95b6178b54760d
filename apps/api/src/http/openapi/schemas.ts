/** A JSON Schema, as far as the document uses it. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  format?: string;
  pattern?: string;
  minimum?: number;
  default?: unknown;
  examples?: unknown[];
  description?: string;
}

/** A parameter of an operation. */
export interface Parameter {
  $ref?: string;
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema: Schema;
  example?: unknown;
}

/** Allows null for optional parameters, which the frame reads as absence; a parameter with a default needs no null. */
export function allowNulls({ properties = {}, required = [], anyOf = [] }: Schema): void {
  for (const [name, property] of Object.entries(properties)) {
    allowNulls(property);
    if (!required.includes(name) && property.default === undefined) properties[name] = orNull(property);
  }
  for (const variant of anyOf) allowNulls(variant);
}

/** The schema that also accepts null. */
export function orNull(schema: Schema): Schema {
  const { type, anyOf } = schema;
  if (anyOf)
    return anyOf.some(({ type }) => type === "null") ? schema : { ...schema, anyOf: [...anyOf, { type: "null" }] };
  if (type === undefined || "const" in schema) return { anyOf: [schema, { type: "null" }] };
  const types = [type].flat();
  if (types.includes("null")) return schema;
  return { ...schema, type: [...types, "null"], ...(schema.enum && { enum: [...schema.enum, null] }) };
}

/** A parameter as generators read it best: booleans are booleans, and a list that may be bare is a list. */
export function simplified({ schema, required, ...parameter }: Parameter): Parameter {
  const { enum: values, default: initial, description, ...rest } = schema;
  const text = parameter.description ?? description;
  const described = { ...(required && { required }), ...parameter, ...(text && { description: text }) };
  if (values?.length === 2 && values.includes("true") && values.includes("false"))
    return { ...described, schema: { type: "boolean", ...(initial !== undefined && { default: initial === "true" }) } };
  const kept = { ...rest, ...(values && { enum: values }), ...(initial !== undefined && { default: initial }) };
  if ([schema.type].flat().includes("array")) return { ...described, schema: { ...kept, type: "array" } };
  return { ...described, schema: kept };
}

/** Every schema of a document's part, the outer ones first. */
export function* schemasIn(schema: Schema): Generator<Schema> {
  yield schema;
  const { properties = {}, items, anyOf = [], oneOf = [], additionalProperties } = schema;
  const nested = [...Object.values(properties), ...(items ? [items] : []), ...anyOf, ...oneOf];
  if (typeof additionalProperties === "object") nested.push(additionalProperties);
  for (const each of nested) yield* schemasIn(each);
}

/** An operation of the document. */
export interface Operation {
  operationId: string;
  tags: string[];
  /** Empty if the operation needs no token; absent if it needs one, as the document says for all. */
  security?: [];
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Record<string, Content> };
  responses: Record<string, Response>;
}

/** A body. */
export interface Content {
  schema: Schema;
}

/** An answer of an operation. */
export interface Response {
  $ref?: string;
  description?: string;
  headers?: Record<string, { $ref: string }>;
  content?: Record<string, Content>;
}

/** The document, as far as its parts are completed after its generation. */
export interface Document {
  tags?: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, Schema>;
    parameters: Record<string, object>;
    responses: Record<string, object>;
    headers: Record<string, object>;
  };
}
