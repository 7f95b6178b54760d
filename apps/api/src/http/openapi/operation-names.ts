const VERBS: Readonly<Record<string, string>> = {
  GET: "get",
  POST: "post",
  PUT: "update",
  PATCH: "patch",
  DELETE: "delete",
};

/**
 * The name of an operation in generated clients, from its route: `listServers`, `createNetwork`, `bootEnvironment`,
 * `listEnvironmentServers`. An endpoint whose route yields no good name sets one itself (`operation`).
 */
export function operationName(method: string, path: string): string {
  const segments = path.split("/").filter(Boolean);
  const names = segments.filter((segment) => !segment.startsWith(":"));
  const last = names.at(-1) ?? "";
  const owners = names
    .slice(0, -1)
    .map((name) => pascal(singular(name)))
    .join("");
  if (segments.at(-1)?.startsWith(":")) return `${VERBS[method]}${owners}${pascal(singular(last))}`;
  if (method === "GET") return `${isPlural(last) ? "list" : "get"}${owners}${pascal(last)}`;
  if (method === "POST" && isPlural(last)) return `create${owners}${pascal(singular(last))}`;
  return `${camel(last)}${owners}`;
}

/** The singular of a collection's name in a path. */
function singular(name: string): string {
  if (/sses$/.test(name)) return name.replace(/es$/, "");
  return name.replace(/ies$/, "y").replace(/(?<!s)s$/, "");
}

function isPlural(name: string): boolean {
  return /(?<!s)s$|sses$/.test(name);
}

/** The name in pascal case, from words with dashes or underscores between them. */
export function pascal(name: string): string {
  return name
    .split(/[-_]/)
    .map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`)
    .join("");
}

function camel(name: string): string {
  const text = pascal(name);
  return `${text.charAt(0).toLowerCase()}${text.slice(1)}`;
}
