// Lets a page import an operation of the API by its id, such as `operation:createNetwork`, with the fields of its body.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { tableOf } from "../../packages/client/operations.mjs";

const PREFIX = "operation:";
const DOCUMENT = join(import.meta.dirname, "../../openapi.json");
const ON_BY_DEFAULT = /^True by default\b/;
const LEVELS = { own: "viewer", read: "viewer", write: "member", admin: "admin" };

export function operations() {
  let read;
  return {
    name: "gantry-operations",
    resolveId: (id) => (id.startsWith(PREFIX) ? `\0${id}` : undefined),
    load(id) {
      if (!id.startsWith(`\0${PREFIX}`)) return undefined;
      read ??= readerOf(JSON.parse(readFileSync(DOCUMENT, "utf8")));
      return `export default ${JSON.stringify(read(id.slice(PREFIX.length + 1)))};`;
    },
  };
}

/** What the words of the API are in a form, which has no code font, empty fields for null, and boxes for flags. */
const WORDS = [
  [/`/g, ""],
  [/\bif (omitted|absent)\b/g, "if empty"],
  [/\bnull\b/g, "empty"],
  [/^Null\b/, "Empty"],
  [/^True to (.)/, (_, first) => first.toUpperCase()],
  [/^True for\b/, "For"],
  [ON_BY_DEFAULT, "On by default"],
  [/^False to\b/, "Off to"],
];

function hintOf(description) {
  return WORDS.reduce((text, [word, shown]) => text.replace(word, shown), description);
}

function readerOf(document) {
  const table = tableOf(document);
  const lists = table.filter(({ method, answer }) => method === "GET" && answer.startsWith("list:"));
  return (id) => {
    const operation = table.find((each) => each.id === id);
    if (!operation) throw new Error(`openapi.json has no operation ${id}`);
    const { method, path, canPlan, answer, body, summary } = operation;
    const access = document.paths[path.replaceAll("?", "")][method.toLowerCase()]["x-access"];
    const flags = method === "GET" ? [] : operation.query.filter(({ schema }) => schema.type === "boolean");
    const fields = [
      ...(body ? fieldsOf(body, [], { isRequired: true }) : []),
      ...flags.map(({ name, schema, description }) => ({
        ...fieldOf({ ...schema, description }, undefined, [name], {}),
        isQuery: true,
      })),
    ];
    return { id, method, path, canPlan, answer, summary, fields, role: LEVELS[access.level], isStaff: !!access.staff };
  };

  function fieldsOf(schema, path, facts) {
    const { variants, ...merged } = shapeOf(schema);
    if (merged.properties && !variants) {
      const required = new Set(merged.required ?? []);
      const inner = Object.entries(merged.properties).flatMap(([name, value]) =>
        fieldsOf(value, [...path, name], { isRequired: facts.isRequired && required.has(name) }),
      );
      return inner.filter(({ hint = "" }) => !hint.startsWith("Alias of "));
    }
    return [fieldOf(merged, variants, path, facts)];
  }

  function fieldOf(schema, variants, path, { isRequired }) {
    const types = [schema.type].flat().filter((type) => type && type !== "null");
    const isNullable = [schema.type].flat().includes("null") || schema.isNullable;
    const example = schema.examples?.[0];
    const standard = ON_BY_DEFAULT.test(schema.description) ? true : schema.default;
    return {
      path: path.join("."),
      ...(isRequired && { isRequired }),
      ...(isNullable && { isNullable }),
      ...(schema.description && !schema.records && { hint: hintOf(schema.description) }),
      ...kindOf(schema, types, variants),
      ...(standard !== undefined && { default: standard }),
      ...(["string", "number"].includes(typeof example) && !schema.records && { example: String(example) }),
    };
  }

  function kindOf(schema, types, variants) {
    if (schema.records) return { kind: "record", records: listOf(schema.records) };
    const choices = schema.enum?.filter((value) => value !== null);
    if (choices) return { kind: "choice", choices };
    if (variants) return { kind: "json" };
    const [type] = types;
    if (type === "string" && schema.format === "date-time") return { kind: "time" };
    if (type === "string") return { kind: schema.writeOnly ? "secret" : "text" };
    if (type === "integer" || type === "number") return { kind: "number" };
    if (type === "boolean") return { kind: "flag" };
    if (type === "array" && shapeOf(schema.items).type === "string") {
      const { enum: choices } = shapeOf(schema.items);
      return { kind: "list", ...(choices && { choices }) };
    }
    if (type === "object" && !schema.properties && shapeOf(schema.additionalProperties ?? {}).type === "string")
      return { kind: "tags", hint: "One key=value a line" };
    return { kind: "json" };
  }

  /** A schema without references and without the alternatives that only spell the same value in another way. */
  function shapeOf(schema) {
    const { anyOf, oneOf, ...own } = resolve(schema);
    const each = (anyOf ?? oneOf ?? []).map(resolve);
    if (each.length === 0) return withRecords(own);
    const others = each.filter(({ type }) => type !== "null").map(shapeOf);
    const isNullable = others.length < each.length;
    const record = others.find(({ records }) => records);
    const simple = record ?? (others.length === 1 ? others[0] : others.find(({ type }) => type === "string"));
    if (simple) return { ...simple, ...own, isNullable, ...(simple.variants && { variants: simple.variants }) };
    return { ...own, isNullable, variants: others };
  }

  function withRecords(schema) {
    const records = schema.format === "id" && /one of `([\w-]+)`/.exec(schema.description ?? "")?.[1];
    return records ? { ...schema, records } : schema;
  }

  /** The list in which a person finds the records, best of the account alone. */
  function listOf(collection) {
    const found =
      lists.find(
        ({ path }) => path === `/accounts/{account?}/${collection}` || path === `/accounts/{account}/${collection}`,
      ) ?? lists.find(({ path }) => path === `/${collection}`);
    if (!found) return { path: `/${collection}`, key: collection };
    const isFiltered = found.query.some(({ name }) => name === "account");
    return { path: found.path.replace("?", ""), key: found.answer.split(":")[1], ...(isFiltered && { isFiltered }) };
  }

  function resolve(schema) {
    const name = schema?.$ref?.split("/").at(-1);
    if (!name) return schema ?? {};
    const { $ref, ...own } = schema;
    return { ...resolve(document.components.schemas[name]), ...own };
  }
}
