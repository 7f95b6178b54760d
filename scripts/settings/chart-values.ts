import { parse } from "yaml";
import { markdownTable } from "./pages.js";

interface Schema {
  $ref?: string;
  $defs?: Record<string, Schema>;
  description?: string;
  properties?: Record<string, Schema>;
}

/**
 * Returns a table of the values of the Helm chart with their defaults, from the texts of its schema and its values.
 * Throws an Error if a value of the schema has no default or no description.
 */
export function chartValues(schemaText: string, valuesText: string): string {
  const root = JSON.parse(schemaText) as Schema;

  function rowsOf(path: string[], given: Schema, value: unknown): string[][] {
    const target = given.$ref && root.$defs?.[given.$ref.replace("#/$defs/", "")];
    const { description, properties } = { ...(target || {}), ...given };
    if (value === undefined) throw new Error(`values.yaml has no default for ${path.join(".")}.`);
    if (properties && !isEmpty(value))
      return Object.entries(properties).flatMap(([name, each]) =>
        rowsOf([...path, name], each, (value as Record<string, unknown>)[name]),
      );
    if (!description) throw new Error(`values.schema.json has no description of ${path.join(".")}.`);
    return [[`\`${path.join(".")}\``, `\`${JSON.stringify(value)}\``, description]];
  }

  const { global: _, ...properties } = root.properties ?? {};
  return markdownTable([["value", "default", "meaning"], ...rowsOf([], { properties }, parse(valuesText))]);
}

const isEmpty = (value: unknown) => Object.keys(value as object).length === 0;
