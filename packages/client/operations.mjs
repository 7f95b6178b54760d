// Derives the methods of the client, and the commands of `gantry`, from the operations of the API's document.

const VERBS = { get: "GET", post: "POST", put: "PUT", patch: "PATCH", delete: "DELETE" };
/** Query parameters that the client sends by itself. */
const OWN_QUERY = ["dry_run", "page", "cursor"];

export function tableOf(document) {
  const described = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method, operation]) => VERBS[method] && !operation.deprecated)
      .map(([method, operation]) => describe(document, { path, method: VERBS[method], operation })),
  );
  const singulars = singularsOf(described);
  return described.map((operation) => finish(operation, { described, singulars }));
}

function describe(document, { path, method, operation }) {
  const resolve = (value) => {
    if (!value?.$ref) return value;
    const [, , part, name] = value.$ref.split("/");
    return part === "parameters"
      ? { ...document.components[part][name], shared: name }
      : document.components[part][name];
  };
  const parameters = (operation.parameters ?? []).map(resolve);
  const query = parameters.filter((parameter) => parameter.in === "query");
  const [status] = Object.keys(operation.responses);
  const types = resolve(operation.responses[status])?.content ?? {};
  const content = resolve(types["application/json"]?.schema);
  const answer =
    method === "GET" && types["text/event-stream"]
      ? { answer: "events" }
      : answerOf({ method, types, content, query, resolve });
  return {
    id: operation.operationId,
    method,
    path,
    segments: path.split("/").slice(1),
    summary: operation.summary,
    // A filter by the record that the path names says nothing.
    query: query.filter(({ name }) => !OWN_QUERY.includes(name) && !path.includes(`{${name}}`)),
    body: operation.requestBody?.content["application/json"]?.schema,
    isBodyRequired: operation.requestBody?.required === true,
    canPlan: query.some(({ name }) => name === "dry_run"),
    content,
    ...answer,
  };
}

function answerOf({ method, types, content, query, resolve }) {
  if (!content) return { answer: Object.keys(types).length > 0 ? "text" : "none" };
  const variants = (content.anyOf ?? [content]).map(resolve);
  if (method !== "GET" && variants.length > 1 && variants.some(({ properties }) => properties?.request))
    return { answer: "request" };
  const members = Object.entries(content.properties ?? {}).map(([key, value]) => [key, resolve(value)]);
  const [list] = members.filter(([, value]) => value.type === "array");
  if (list && query.some(({ name }) => name === "per_page"))
    return { answer: `list:${list[0]}`, records: list[1].items };
  return { answer: members.length === 1 ? `record:${members[0][0]}` : "body" };
}

/** The collections by the singular of their names in operations: `Network` → `networks`. */
function singularsOf(described) {
  const ofRecords = described.filter(({ segments }) => segments.length === 2 && isParameter(segments[1]));
  return new Map(
    ofRecords.flatMap(({ id, segments }) => {
      const name = /^(?:get|delete)([A-Z]\w+)$/.exec(id)?.[1];
      return name ? [[name, segments[0]]] : [];
    }),
  );
}

/** Chooses noun and verb. An operation below a record belongs to the collection there if only this one can do that. */
function finish({ segments, ...operation }, { described, singulars }) {
  const [collection, parameter, part] = segments;
  const singular = nameOf(collection, singulars);
  const action = /^[a-z]+/.exec(operation.id)[0];
  const has = (method, path) => described.some((other) => other.method === method && other.path === path);
  const inner = part && dashed(part);
  const owner = [...singulars].find(([name]) => operation.id === `${action}${name}`);

  const nested = lower(strip(operation.id.replace(/^(list|get)(?=[A-Z])/, ""), singular));
  if (isParameter(parameter ?? "") && part && isParameter(segments.at(-1)) && operation.method === "GET")
    return named(collection, strip(operation.id, singular));
  if (isParameter(parameter ?? "") && part) {
    const innerName = [...singulars].find(([, noun]) => noun === inner)?.[0];
    const isLast = segments.length === 3;
    const creates = operation.method === "POST" && isLast;
    if (creates && owner && owner[1] !== collection) return named(owner[1], "create", { parents: [parameter] });
    if (creates && innerName && operation.id === `create${singular}${innerName}` && !has("POST", `/${inner}`))
      return named(inner, "create", { parents: [parameter] });
    if (innerName && operation.method === "GET" && isLast && inner !== collection && !has("GET", `/${inner}`))
      return named(inner, "list", { parents: [parameter] });
    if (innerName && operation.method === "POST" && !isLast && !isParameter(segments[3]))
      return named(inner, strip(strip(operation.id, singular), innerName), { parents: [parameter] });
    return named(collection, nested);
  }
  if (segments.length === 1) {
    const read = operation.answer.startsWith("list") ? "list" : "get";
    return named(collection, { GET: read, POST: "create", DELETE: "delete" }[operation.method]);
  }
  if (segments.length === 2 && isParameter(parameter) && operation.id !== "removeOrphan")
    return named(collection, { GET: "get", PATCH: "update", PUT: "update", DELETE: "delete" }[operation.method]);
  return named(collection, nested);

  function named(noun, verb, { parents = [] } = {}) {
    const given = parents.map(unbraced);
    const parameters = segments.filter(isParameter).map(unbraced);
    const hasInput = operation.body !== undefined || given.length > 0;
    const isRead = operation.method === "GET" || operation.method === "DELETE";
    const hasQuery = isRead && (operation.query.length > 0 || given.length > 0);
    return {
      ...operation,
      noun: camel(noun),
      verb,
      path: given.reduce((path, name) => path.replace(`{${name}}`, `{${name}?}`), operation.path),
      ids: parameters.filter((name) => !given.includes(name)),
      parents: given,
      input: hasQuery ? "query" : hasInput ? "input" : undefined,
      isInputRequired: (hasInput && !hasQuery && operation.isBodyRequired) || given.some((name) => name !== "account"),
      record: [...singulars].find(([, name]) => name === noun)?.[0],
    };
  }
}

/** The name of a collection's records in the names of operations; `network` of `/networks`. */
function nameOf(collection, singulars) {
  const known = [...singulars].find(([, noun]) => noun === collection)?.[0];
  return known ?? pascal(collection).replace(/s$/, "");
}

/** Takes the name of a record out of an operation's: `listTokensOfUser` → `listTokens`. */
function strip(id, name) {
  return id.replace(new RegExp(`(Of)?${name}(?![a-z])`), "");
}

const isParameter = (segment) => segment.startsWith("{");
const unbraced = (segment) => segment.slice(1, -1);
const lower = (text) => text.charAt(0).toLowerCase() + text.slice(1);
const dashed = (text) => text.replaceAll("_", "-");
/** `database-servers` → `databaseServers` */
export const camel = (text) => text.replace(/[-_](\w)/g, (_, letter) => letter.toUpperCase());
export const pascal = (text) => camel(`-${text}`);
