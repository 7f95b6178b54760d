import { readFileSync } from "node:fs";

interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  enum?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
  anyOf?: Schema[];
}

interface Answer {
  $ref?: string;
  content?: Record<string, { schema: Schema }>;
}

interface Document {
  paths: Record<string, Record<string, { responses: Record<string, Answer> }>>;
  components: {
    schemas: Record<string, Schema>;
    responses: Record<string, { "x-statuses"?: Record<string, string> }>;
  };
}

const { paths, components } = JSON.parse(
  readFileSync(new URL("../../openapi.json", import.meta.url), "utf8"),
) as Document;

const nameIn = ({ $ref = "" }: { $ref?: string }) => $ref.split("/").at(-1) ?? "";

const operations = Object.entries(paths).flatMap(([path, methods]) => {
  const pattern = new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]+")}$`);
  return Object.entries(methods).map(([method, { responses }]) => {
    const statuses = Object.entries(responses).flatMap(statusesOf);
    return { method: method.toUpperCase(), pattern, responses, statuses };
  });
});

/** The statuses of an answer: its own, or those that it lists if it represents several. */
function statusesOf([status, answer]: [string, Answer]): string[] {
  return Object.keys(components.responses[nameIn(answer)]?.["x-statuses"] ?? { [status]: "" });
}

/** What an operation answered, and to which call. */
interface Answered {
  status: number;
  body: unknown;
  type: string;
  request: { method: string; url: string };
}

/** @throws if an operation answered with 500, or with a status or a body that openapi.json does not declare for it */
export function requireDeclaredAnswer({ status, body, type, request: { method, url } }: Answered): void {
  const { pathname } = new URL(url);
  if (status === 500) throw new Error(`${method} ${pathname} answers 500, a fault of Gantry`);
  const matching = operations.filter((each) => each.method === method && each.pattern.test(pathname));
  if (matching.length === 0) return;
  const declared = matching.filter(({ statuses }) => statuses.includes(String(status)));
  if (declared.length === 0)
    throw new Error(`openapi.json does not declare that ${method} ${pathname} answers ${status}`);
  const faults = declared.map(({ responses }) => {
    const schema = responses[status]?.content?.[type]?.schema;
    return schema && type === "application/json" ? faultsIn(schema, body) : [];
  });
  // The paths of two operations may match: one names a record, the other one has a word in its place.
  const [fewest = []] = faults.sort((one, other) => one.length - other.length);
  if (fewest.length > 0)
    throw new Error(`${method} ${pathname} does not answer as in openapi.json: ${fewest.join("; ")}`);
}

const TYPES: Record<string, (value: unknown) => boolean> = {
  array: Array.isArray,
  boolean: (value) => typeof value === "boolean",
  integer: Number.isInteger,
  null: (value) => value === null,
  number: Number.isFinite,
  object: (value) => typeof value === "object" && value !== null && !Array.isArray(value),
  string: (value) => typeof value === "string",
};

const FORMATS: Record<string, RegExp> = {
  "date-time": /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?([+-]\d\d:\d\d|Z)$/,
  uri: /^https?:\/\/[^/\s]+(\/\S*)?$/,
  uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
};

/** How a value differs from its schema; an object has every required field, and none that the schema lacks. */
function faultsIn(schema: Schema, value: unknown, at = "the body"): string[] {
  if (schema.$ref) return faultsIn(components.schemas[nameIn(schema)] ?? {}, value, at);
  if (schema.anyOf) {
    const faults = schema.anyOf.map((variant) => faultsIn(variant, value, at));
    return faults.sort((one, other) => one.length - other.length)[0] ?? [];
  }
  const types = [schema.type ?? []].flat();
  if (types.length > 0 && !types.some((type) => TYPES[type]?.(value))) return [`${at} is not ${types.join(" or ")}`];
  if (schema.enum && !schema.enum.includes(value)) return [`${at} is none of ${schema.enum.join(", ")}`];
  if (typeof value === "string" && FORMATS[schema.format ?? ""]?.test(value) === false)
    return [`${at} is not of the format ${schema.format}`];
  if (Array.isArray(value)) return value.flatMap((each, i) => faultsIn(schema.items ?? {}, each, `${at}.${i}`));
  if (typeof value !== "object" || value === null) return [];
  const { properties = {}, required = [], additionalProperties: others = !schema.properties } = schema;
  return [
    ...required.filter((name) => !(name in value)).map((name) => `${at} lacks ${name}`),
    ...Object.entries(value).flatMap(([name, each]) => {
      const own = properties[name] ?? others;
      if (own === false) return [`${at} has ${name}`];
      return own === true ? [] : faultsIn(own, each, `${at}.${name}`);
    }),
  ];
}
