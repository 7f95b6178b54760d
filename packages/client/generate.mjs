// Writes src/generated from openapi.json: the types of inputs, records and methods, and the routes of the methods.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { camel, pascal, tableOf } from "./operations.mjs";

const document = JSON.parse(readFileSync(join(import.meta.dirname, "../../openapi.json"), "utf8"));
const folder = join(import.meta.dirname, "src/generated");
const { version } = JSON.parse(readFileSync(join(import.meta.dirname, "package.json"), "utf8"));
const operations = tableOf(document);
const nouns = [...new Set(operations.map(({ noun }) => noun))].map((noun) => ({
  noun,
  list: operations.filter((operation) => operation.noun === noun),
}));

mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, "schemas.ts"), schemasFile());
writeFileSync(join(folder, "resources.ts"), resourcesFile());
writeFileSync(join(folder, "routes.ts"), routesFile());

/** What the client's code reads: a line for each method. */
function routesFile() {
  const lines = nouns.flatMap(({ noun, list }) => [
    `  ${noun}: {`,
    ...list.map((operation) => `    ${operation.verb}: ${JSON.stringify(routeOf(operation))},`),
    "  },",
  ]);
  return `export const version = "${version}";\n\nexport const routes = {\n${lines.join("\n")}\n} as const;\n`;
}

/** `POST /networks request input plan`: the method, the path, the answer, and what the method takes. */
function routeOf({ method, path, answer, input, canPlan }) {
  return [method, path, answer, input, canPlan && "plan"].filter(Boolean).join(" ");
}

function schemasFile() {
  const schemas = Object.entries(document.components.schemas).map(
    ([name, schema]) => `${docOf(schema.description)}export type ${name} = ${typeOf(schema)};\n`,
  );
  const parameters = Object.entries(document.components.parameters).flatMap(([name, parameter]) =>
    parameter.in === "query" ? [`export type ${name}Parameter = ${manyOf(parameter.schema)};\n`] : [],
  );
  const queries = operations.flatMap(({ id, query }) =>
    query.length > 0 ? [`export interface ${pascal(id)}Query {\n${query.map(parameterOf).join("")}}\n`] : [],
  );
  return [...schemas, ...parameters, ...queries].join("\n");
}

function resourcesFile() {
  const interfaces = nouns.map(
    ({ noun, list }) => `export interface ${pascal(noun)}Methods {\n${list.map(methodOf).join("\n")}\n}\n`,
  );
  const all = nouns.map(({ noun }) => `  readonly ${noun}: ${pascal(noun)}Methods;\n`);
  const text = [
    ...interfaces,
    `/** The methods of every resource. */\nexport interface Resources {\n${all.join("")}}\n`,
  ].join("\n");
  const declared = [...schemasFile().matchAll(/^export (?:type|interface) (\w+)/gm)].map(([, name]) => name);
  const used = declared.filter((name) => new RegExp(`\\b${name}\\b`).test(text));
  return [
    'import type { EventStream, StreamOptions } from "../events.js";',
    'import type { Id } from "../ids.js";',
    'import type { Answer, Pending } from "../methods.js";',
    'import type { Pages } from "../pages.js";',
    'import type { CallOptions } from "../transport.js";',
    `import type { ${used.join(", ")} } from "./schemas.js";\n`,
    text,
  ].join("\n");
}

function methodOf(operation) {
  const { verb, summary, ids, answer, canPlan, input, isInputRequired } = operation;
  const given = ids.map((name) => `${camel(name)}: Id`);
  if (answer === "events")
    return `${docOf(summary)}${verb}(${[...given, "options?: StreamOptions"].join(", ")}): EventStream;`;
  const words = [
    ...given,
    ...(input ? [`${input}${isInputRequired ? "" : "?"}: ${inputTypeOf(operation)}`] : []),
    `options?: ${optionsTypeOf(operation)}`,
  ].join(", ");
  const result = resultTypeOf(operation);
  if (!canPlan) return `${docOf(summary)}${verb}(${words}): ${result};`;
  return `${docOf(summary)}${verb}: {\n(${words}): ${result};\n/** What the call would do and cost; does nothing. */\nplan(${words}): Answer<Plan>;\n};`;
}

/** The type of what a method takes after the ids: the body, with the parents' ids; or the query. */
function inputTypeOf({ id, parents, input, body, query }) {
  const ids = parents.map((name) => `${name}${name === "account" ? "?" : ""}: Id`);
  return [
    input === "input" && body && typeOf(body),
    input === "query" && query.length > 0 && `${pascal(id)}Query`,
    ids.length > 0 && `{ ${ids.join("; ")} }`,
  ]
    .filter(Boolean)
    .join(" & ");
}

function parameterOf({ name, description, required, schema, shared }) {
  const type = shared ? `${shared}Parameter` : manyOf(schema);
  return fieldOf({ name, description, required, type });
}

function fieldOf({ name, description, required, type }) {
  // With exactOptionalPropertyTypes a caller may still give a value that can be undefined.
  return `${docOf(description)}${quoted(name)}${required ? "" : "?"}: ${type}${required ? "" : " | undefined"};\n`;
}

/** The type of a parameter of the query, which may be repeated or given once. */
function manyOf(schema) {
  return schema.type === "array" ? `${typeOf(schema.items)} | (${typeOf(schema.items)})[]` : typeOf(schema);
}

function optionsTypeOf({ id, input, query }) {
  return input === "query" || query.length === 0 ? "CallOptions" : `CallOptions & { query?: ${pascal(id)}Query }`;
}

function resultTypeOf({ answer, content, records, record, method, noun }) {
  const [kind, key] = answer.split(":");
  if (kind === "none") return "Answer<void>";
  if (kind === "text") return "Answer<string>";
  if (kind === "list") return `Pages<${typeOf(records)}>`;
  if (kind === "record") return `Answer<${typeOf(content.properties[key])}>`;
  if (kind === "body") return `Answer<${typeOf(content)}>`;
  // The record of a retried Request is that of the call which it repeats.
  const isKnown = record && noun !== "requests";
  return `Pending<${method === "DELETE" ? "void" : isKnown ? record : "unknown"}>`;
}

/** A JSON Schema as a type of TypeScript. */
function typeOf(schema = {}) {
  if (schema.$ref) return refTypeOf(schema.$ref);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if ("const" in schema) return JSON.stringify(schema.const);
  const variants = schema.anyOf ?? schema.oneOf;
  if (variants) return union(variants.map(typeOf));
  if (schema.allOf) return schema.allOf.map((each) => `(${typeOf(each)})`).join(" & ");
  if (Array.isArray(schema.type)) return union(schema.type.map((type) => typeOf({ ...schema, type })));
  if (schema.type === "array") return `(${typeOf(schema.items)})[]`;
  if (schema.type === "object") return objectTypeOf(schema);
  const type = { integer: "number", number: "number", boolean: "boolean", null: "null", string: "string" }[schema.type];
  return type ?? "unknown";
}

function objectTypeOf({ properties = {}, required = [], additionalProperties }) {
  const fields = Object.entries(properties).map(([name, schema]) =>
    fieldOf({
      name,
      description: schema.description,
      required: required.includes(name),
      type: typeOf(schema),
    }),
  );
  if (fields.length > 0) return `{\n${fields.join("")}}`;
  return additionalProperties === false
    ? "Record<string, never>"
    : `Record<string, ${typeOf(additionalProperties || {})}>`;
}

function refTypeOf(ref) {
  const [, , part, name] = ref.split("/");
  return part === "schemas" ? name : typeOf(document.components[part][name]);
}

function union(types) {
  return [...new Set(types)].join(" | ");
}

function docOf(text) {
  return text ? `/** ${text.replaceAll("*/", "*\\/")} */\n` : "";
}

function quoted(name) {
  return /^[a-z_]\w*$/i.test(name) ? name : JSON.stringify(name);
}
