import type { Fixtures } from "../support/fixtures.js";

interface Schema {
  type?: string | string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  enum?: unknown[];
  [key: string]: unknown;
}

interface Parameter {
  name: string;
  in: string;
  schema: Schema;
}

interface Operation {
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema: Schema }> };
}

/** The parts of an OpenAPI document that hold what callers send. */
export interface Document {
  paths: Record<string, Record<string, Operation>>;
}

// Nobody works on what a long poll would wait for.
const EXCLUDED_PARAMETER = "wait";

/**
 * The same document, where whatever names a thing may also be the id of one that is there: generated ids alone would
 * lead to nothing but 404. A path's parameter belongs to the collection before it, all others to that of their name.
 */
export function withIds(document: Document, world: Fixtures): Document {
  const ids = new Map(Object.entries(world).map(([plural, id]) => [plural.replaceAll("-", "_"), id]));
  const idOf = (name: string) => ids.get(pluralOf(name.replace(/_id$/, "")));

  const copy = structuredClone(document);
  for (const [path, operations] of Object.entries(copy.paths)) {
    for (const operation of Object.values(operations)) {
      const { parameters = [], requestBody } = operation;
      if (operation.parameters) operation.parameters = parameters.filter(({ name }) => name !== EXCLUDED_PARAMETER);
      for (const parameter of parameters) {
        const collection = path.split(`/{${parameter.name}}`)[0]?.split("/").at(-1) ?? "";
        const id = parameter.in === "path" ? ids.get(collection.replaceAll("-", "_")) : idOf(parameter.name);
        if (id !== undefined) parameter.schema = orId(String(id), parameter.schema);
      }
      for (const { schema } of Object.values(requestBody?.content ?? {})) nameIds(schema);
    }
  }
  return copy;

  function nameIds(schema: Schema): void {
    for (const [name, property] of Object.entries(schema.properties ?? {})) {
      const id = idOf(name);
      if (id !== undefined && !property.properties)
        schema.properties = { ...schema.properties, [name]: orId(id, property) };
      else nameIds(property);
    }
    for (const inner of schema.anyOf ?? []) nameIds(inner);
    if (schema.items) nameIds(schema.items);
  }
}

function orId(id: string | number, schema: Schema): Schema {
  return { anyOf: [{ enum: [id] }, schema] };
}

function pluralOf(name: string): string {
  return name.endsWith("s") ? `${name}es` : `${name}s`;
}
