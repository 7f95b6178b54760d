import type { Fixtures } from "../support/fixtures.js";

export interface Schema {
  type?: string | string[];
  properties?: Record<string, Schema>;
  required?: string[];
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
  parameters?: (Parameter & { $ref?: string })[];
  requestBody?: { required: boolean; content: Record<string, { schema: Schema }> };
}

/** The parts of an OpenAPI document about inputs. */
export interface Document {
  paths: Record<string, Record<string, Operation>>;
  /** The bodies have names that end with `Input`. */
  components: { schemas: Record<string, Schema>; parameters: Record<string, Parameter> };
}

// A long poll would wait for nothing: the target has no worker.
const EXCLUDED_PARAMETER = "wait";

/**
 * Adds the ids of existing resources to the schemas of ids in the document: only generated ids would always return 404.
 * A path parameter refers to the collection before it in the path, any other field to the collection of its name.
 */
export function withIds(document: Document, world: Fixtures): Document {
  const ids = new Map(Object.entries(world).map(([plural, id]) => [plural.replaceAll("-", "_"), id]));
  const idOf = (name: string) => ids.get(pluralOf(name.replace(/_id$/, "")));

  const copy = structuredClone(document);
  for (const [path, operations] of Object.entries(copy.paths)) {
    for (const operation of Object.values(operations)) {
      const parameters = (operation.parameters ?? [])
        .map((each) => structuredClone(copy.components.parameters[each.$ref?.split("/").at(-1) ?? ""] ?? each))
        .filter(({ name }) => name !== EXCLUDED_PARAMETER);
      if (operation.parameters) operation.parameters = parameters;
      for (const parameter of parameters) {
        const collection = path.split(`/{${parameter.name}}`)[0]?.split("/").at(-1) ?? "";
        const id = parameter.in === "path" ? ids.get(collection.replaceAll("-", "_")) : idOf(parameter.name);
        if (id !== undefined) parameter.schema = orId(String(id), parameter.schema);
      }
    }
  }
  for (const [name, schema] of Object.entries(copy.components.schemas)) if (name.endsWith("Input")) nameIds(schema);
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
