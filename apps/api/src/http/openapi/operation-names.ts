import { camelCase, pascalCase } from "es-toolkit/string";
import { pluralize, singularize } from "inflection";

const VERBS: Readonly<Record<string, string>> = {
  GET: "get",
  POST: "post",
  PUT: "update",
  PATCH: "patch",
  DELETE: "delete",
};

/**
 * The name of an operation in generated clients, from its route: `listServers`, `createNetwork`, `bootEnvironment`,
 * `listEnvironmentServers`. An endpoint sets one itself (`operation`) if its route yields no good name.
 */
export function operationName(method: string, path: string): string {
  const segments = path.split("/").filter(Boolean);
  const names = segments.filter((segment) => !segment.startsWith(":"));
  const last = names.at(-1) ?? "";
  const owners = names
    .slice(0, -1)
    .map((name) => pascalCase(singularize(name)))
    .join("");
  if (segments.at(-1)?.startsWith(":")) return `${VERBS[method]}${owners}${pascalCase(singularize(last))}`;
  if (method === "GET") return `${isPlural(last) ? "list" : "get"}${owners}${pascalCase(last)}`;
  if (method === "POST" && isPlural(last)) return `create${owners}${pascalCase(singularize(last))}`;
  return `${camelCase(last)}${owners}`;
}

function isPlural(name: string): boolean {
  return pluralize(name) === name;
}
