import type { Endpoint } from "../endpoint.js";
import { complete } from "./completion.js";
import { generated } from "./operations.js";
import { HEADERS, refusals } from "./refusals.js";
import { answersOf, longValuesOf, parametersOf, parametersOfListsOf, shared } from "./repetitions.js";
import type { Document } from "./schemas.js";

/**
 * The OpenAPI 3.1 description of the endpoints, in the form that generators of clients read best: all operations and
 * bodies have names, and all parameters a description and an example.
 *
 * @param baseUrl the address of the server
 */
export function describe(endpoints: Endpoint[], version: string, baseUrl: string): object {
  const document = JSON.parse(JSON.stringify(generated(endpoints, version, baseUrl), withoutFlags)) as Document;
  const components = { ...document.components, parameters: {}, responses: refusals(), headers: HEADERS };
  document.components = components;
  document.tags = tagsOf(document);
  const operations = Object.values(document.paths).flatMap((methods) => Object.entries(methods));
  for (const [method, operation] of operations) complete(method, operation, document);
  const all = operations.map(([, operation]) => operation);
  Object.assign(components.responses, shared("responses", all.flatMap(answersOf)));
  components.parameters = shared("parameters", all.flatMap(parametersOf));
  Object.assign(components.parameters, shared("parameters", all.flatMap(parametersOfListsOf)));
  const inputs = Object.entries(components.schemas).flatMap(([name, schema]) =>
    name.endsWith("Input") ? [schema] : [],
  );
  Object.assign(components.schemas, shared("schemas", inputs.flatMap(longValuesOf)));
  return document;
}

function tagsOf({ paths }: Document): { name: string; description: string }[] {
  const names = new Set(
    Object.values(paths).flatMap((operations) => Object.values(operations).flatMap(({ tags }) => tags)),
  );
  return [...names].map((name) => ({ name, description: `Operations on ${name.replaceAll(/[-_]/g, " ")}` }));
}

// The generator appends a pattern's flags, which JSON Schema reads as letters.
function withoutFlags(key: string, value: unknown): unknown {
  return key === "pattern" && typeof value === "string" ? value.replace(/(?<=\$)\/[a-z]+$/, "") : value;
}
