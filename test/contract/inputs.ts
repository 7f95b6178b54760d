import type { Fixtures } from "../support/fixtures.js";
import { type Schema, singularOf } from "./document.js";

/** The collections that parameters of a body or a query name, where the name is not the collection's singular. */
const REFERENCES: Readonly<Record<string, string>> = {
  application_id: "applications",
  blueprint_id: "blueprints",
  "firewall_rule.source": "firewalls",
  iam_role_id: "iam_roles",
  ip_id: "addresses",
  replication_source: "database-servers",
  subnet_id: "subnets",
};

/** The collection whose record a parameter names, by its path with dots; undefined for parameters that name none. */
export function collectionOf(path: string, fixtures: Fixtures): string | undefined {
  const name = nameIn(path);
  const named = REFERENCES[path] ?? REFERENCES[name];
  return named ?? Object.keys(fixtures).find((collection) => singularOf(collection) === name);
}

/** The values of a body's parameters: records by collection, others by path with dots or by name. */
export interface Values {
  fixtures: Fixtures;
  others: Readonly<Record<string, unknown>>;
}

/** A body that the schema accepts, of its required parameters alone. */
export function sampleBody(schema: Schema, values: Values, path = ""): unknown {
  const { fixtures, others } = values;
  const known = others[path] ?? others[nameIn(path)];
  if (known !== undefined) return known;
  const collection = collectionOf(path, fixtures);
  if (collection && !schema.properties) return fixtures[collection];
  if (schema.enum) return schema.enum[0];
  const [type] = [schema.type ?? []].flat();
  if (type === "object") {
    const { required = [], properties = {} } = schema;
    const entries = required.map((key) => [key, sampleBody(properties[key] ?? {}, values, join(path, key))]);
    return Object.fromEntries(entries);
  }
  return { integer: schema.minimum ?? 1, boolean: true }[type ?? ""] ?? "x".repeat(12);
}

/** The parameters of a body that name records, optional ones too, by their paths with dots. */
export function referencesIn(schema: Schema, fixtures: Fixtures, path = ""): [path: string, collection: string][] {
  const { properties = {}, anyOf = [], oneOf = [] } = schema;
  const nested = [
    ...Object.entries(properties).flatMap(([key, property]) => referencesIn(property, fixtures, join(path, key))),
    ...[...anyOf, ...oneOf].flatMap((variant) => referencesIn(variant, fixtures, path)),
  ];
  const isId = schema.format === "uuid" || schema.format === "id";
  if (!isId && ![schema.type ?? []].flat().includes("integer")) return nested;
  const collection = collectionOf(path, fixtures);
  if (!collection && (isId || path.endsWith("_id"))) {
    throw new Error(`${path} names a record: add its collection to REFERENCES in test/contract/inputs.ts`);
  }
  return collection ? [[path, collection]] : nested;
}

/** A copy of the body with another value at a path with dots. */
export function withValue(body: object, path: string, value: unknown): object {
  const copy = structuredClone(body) as Record<string, unknown>;
  const keys = path.split(".");
  const last = keys.pop() ?? "";
  let target = copy;
  for (const key of keys) {
    target[key] ??= {};
    target = target[key] as Record<string, unknown>;
  }
  target[last] = value;
  // A boot takes a blueprint or a configuration.
  if (last === "blueprint_id") delete target.configuration;
  return copy;
}

const nameIn = (path: string) => path.split(".").at(-1) ?? "";
const join = (path: string, key: string) => (path ? `${path}.${key}` : key);
