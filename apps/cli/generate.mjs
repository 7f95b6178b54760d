// Writes src/generated from openapi.json: a command for every operation, with a flag for every parameter.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tableOf } from "../../packages/client/operations.mjs";
import { GLOBAL_FLAGS } from "./global-flags.mjs";

const document = JSON.parse(readFileSync(join(import.meta.dirname, "../../openapi.json"), "utf8"));
const folder = join(import.meta.dirname, "src/generated");

/** Parameters of the query that a command has in another form. */
const OWN_QUERY = ["per_page", "wait", "after", "limit", "newest"];
/** Values whose members are given as one text in JSON. */
const MAX_DEPTH = 4;

/** What the document says of a field that only some may see, or only once. */
const SECRET = /secrets:read|Shown only once/;

const commands = {};
for (const operation of tableOf(document)) {
  const noun = kebab(operation.noun);
  commands[noun] ??= {};
  commands[noun][verbOf(operation)] = commandOf(operation);
}

for (const facts of Object.values(commands).flatMap(Object.values)) inOwnWords(facts);

rmSync(folder, { recursive: true, force: true });
mkdirSync(join(folder, "nouns"), { recursive: true });
for (const [noun, verbs] of Object.entries(commands))
  writeFileSync(join(folder, "nouns", `${noun}.ts`), nounFile(verbs));
writeFileSync(join(folder, "nouns.ts"), nounsFile());
writeFileSync(join(folder, "secret-fields.ts"), secretFieldsFile());

/** The verbs of a noun. Flags and columns that several share stand there once. */
function nounFile(verbs) {
  const text = JSON.stringify(verbs, null, 1).replaceAll(/\n {2,}/g, "");
  return ['import type { Noun } from "../../command-table.js";\n', `export const noun: Noun = ${text};\n`].join("\n");
}

/** The names of all verbs, and the files with the rest: a command loads the noun that it is about. */
function nounsFile() {
  const lines = Object.entries(commands).map(
    ([noun, verbs]) =>
      `  ${JSON.stringify(noun)}: { verbs: ${JSON.stringify(Object.keys(verbs))}, load: () => import("./nouns/${noun}.js") },`,
  );
  return [
    'import type { Nouns } from "../command-table.js";\n',
    `export const nouns: Nouns = {\n${lines.join("\n")}\n};\n`,
  ].join("\n");
}

/** The names of all members of schemas that hold secrets, and of those that a scope lets its tokens read. */
function secretFieldsFile() {
  const names = new Set();
  const scoped = new Set();
  const walk = (schema) => {
    if (typeof schema !== "object" || schema === null) return;
    for (const [name, value] of Object.entries(schema.properties ?? {}))
      if (SECRET.test(value.description ?? "")) {
        names.add(name);
        if (value.description.includes("secrets:read")) scoped.add(name);
      }
    for (const value of Object.values(schema)) walk(value);
  };
  walk(document);
  return [
    `export const secretFields: readonly string[] = ${JSON.stringify([...names].sort())};\n`,
    `export const scopedFields: readonly string[] = ${JSON.stringify([...scoped].sort())};\n`,
  ].join("\n");
}

/** Replaces calls of the API in texts by commands, and ids by names where the command accepts these. */
function inOwnWords(facts) {
  facts.summary = withCommands(facts.summary);
  for (const flag of facts.flags) {
    // The flags of changes choose no records.
    if (facts.method !== "GET" && flag.description?.startsWith("Only records with")) delete flag.description;
    if (!flag.description) continue;
    const [, collection] = /^The id of one of `([\w-]+)`, or its URL$/.exec(flag.description) ?? [];
    const hasNames = commands[flag.of]?.list?.flags.some(({ name }) => name === "name");
    flag.description = collection
      ? `The ${hasNames ? "name or id" : "id"} of one of ${kebabOf(collection)}`
      : withCommands(flag.description);
  }
}

function withCommands(text) {
  return text.replace(/`(GET|POST|PUT|PATCH|DELETE) (\/[^`]*)`/g, (call, method, path) => {
    const shapeOf = (each) => each.replaceAll(/:\w+|\{\w+\}/g, "*");
    for (const [noun, verbs] of Object.entries(commands))
      for (const [verb, facts] of Object.entries(verbs))
        if (facts.method === method && shapeOf(facts.path) === shapeOf(path)) return `\`gantry ${noun} ${verb}\``;
    return call;
  });
}

function verbOf({ verb }) {
  return verb === "get" ? "show" : kebab(verb);
}

function commandOf(operation) {
  const { id, method, path, summary, answer, canPlan, parents, ids } = operation;
  const body = operation.body ? bodyFlags(operation) : [];
  const query = operation.query.filter(({ name }) => !OWN_QUERY.includes(name)).map(queryFlag);
  return {
    id,
    method,
    path: path.replaceAll("?}", "}"),
    summary,
    answer,
    ...(canPlan && { canPlan }),
    ...(showsSecret(operation) && { showsSecret: true }),
    ids: ids.map((name) => ({ name, of: collectionIn(path, name) })),
    flags: named(
      [
        ...parents.map((name) => ({
          at: "path",
          path: [name],
          type: "id",
          of: collectionIn(path, `${name}?`),
          isRequired: true,
        })),
        ...body,
        ...query,
      ],
      operation,
    ),
    columns: columnsOf(operation),
  };
}

/** Whether a change answers with a secret that is shown only once. */
function showsSecret({ method, content }) {
  const members = Object.values(content?.properties ?? {}).map(resolve);
  return method !== "GET" && members.some(({ description = "" }) => /Shown only once/.test(description));
}

/** The collection in the path before a parameter. */
function collectionIn(path, name) {
  return kebabOf(path.split("/").at(path.split("/").indexOf(`{${name}}`) - 1));
}

function bodyFlags({ body, isInputRequired }) {
  return leavesOf(resolve(body), [], isInputRequired !== false);
}

/** The values of a schema that are no objects with known members, with their paths. */
function leavesOf(schema, path, isRequired) {
  const { properties, required = [] } = merged(schema);
  return Object.entries(properties).flatMap(([name, value]) => {
    const member = resolve(value);
    const own = [...path, name];
    const needed = isRequired && required.includes(name);
    const inner = merged(member);
    const isMap = Object.keys(inner.properties).length === 0;
    if (!isMap && own.length < MAX_DEPTH) return leavesOf(member, own, needed);
    return [
      {
        at: "body",
        path: own,
        isRequired: needed,
        ...typeFacts(member),
        ...(value.description && { description: value.description }),
      },
    ];
  });
}

/** The members of an object, of all its variants together. */
function merged(schema) {
  const variants = [schema, ...(schema.oneOf ?? []), ...(schema.anyOf ?? []), ...(schema.allOf ?? [])].map(resolve);
  const inner = variants.slice(1).map(merged);
  const properties = {};
  for (const part of [{ properties: schema.properties ?? {} }, ...inner])
    for (const [name, value] of Object.entries(part.properties)) properties[name] = joined(properties[name], value);
  const isChoice = schema.oneOf ?? schema.anyOf;
  const required = isChoice
    ? inner
        .map((part) => part.required ?? [])
        .reduce((all, each) => all.filter((name) => each.includes(name)), inner[0]?.required ?? [])
    : (schema.required ?? []);
  return { properties, required };
}

/** One schema for a member that several variants have: their words together. */
function joined(one, other) {
  const [first, second] = [resolve(one), resolve(other)];
  if (first?.enum && second?.enum) return { ...first, enum: [...new Set([...first.enum, ...second.enum])] };
  return one ?? other;
}

function queryFlag({ name, schema, description, required }) {
  const collection = [`${kebabOf(name)}s`, `${kebabOf(name)}es`].find((each) => document.paths[`/${each}`]);
  const of = collection && { of: collection };
  return {
    at: "query",
    path: [name],
    isRequired: required === true,
    ...typeFacts(resolve(schema)),
    description,
    ...of,
  };
}

/** How a value is given as a text. */
function typeFacts(schema) {
  const variants = (schema.anyOf ?? schema.oneOf ?? [schema]).map(resolve);
  const types = variants.flatMap(({ type }) => type ?? []).filter((type) => type !== "null");
  const values = variants.flatMap((variant) => variant.enum ?? []).filter((value) => value !== null);
  const reference = variants.find(({ format }) => format === "id");
  const facts = {
    description: schema.description ?? variants.find(({ description }) => description)?.description,
    ...(values.length > 0 && { values }),
    ...(schema.default !== undefined && { default: schema.default }),
    ...(variants.some(({ writeOnly }) => writeOnly) && { isSecret: true }),
    ...(schema.examples && { example: schema.examples[0] }),
  };
  if (reference)
    return { ...facts, type: "id", of: collectionNamed(reference.description), description: facts.description };
  if (types.includes("array")) {
    const items = typeFacts(resolve(variants.find(({ items }) => items)?.items ?? {}));
    const isPlain = ["string", "integer", "number", "id"].includes(items.type);
    return {
      ...facts,
      type: isPlain ? "list" : "json",
      ...(items.values && { values: items.values }),
      ...(items.of && { of: items.of }),
    };
  }
  if (types.includes("object")) {
    const isMap = variants.some(({ additionalProperties }) => typeof additionalProperties === "object");
    return { ...facts, type: isMap ? "map" : "json" };
  }
  if (types.length === 1) return { ...facts, type: types[0] };
  return { ...facts, type: types.includes("string") ? "text" : "json" };
}

function collectionNamed(description = "") {
  const name = /one of `([\w-]+)`/.exec(description)?.[1];
  return name && kebabOf(name);
}

/**
 * Names flags by the shortest end of their paths that no other has. The resource's own members come first: `--tags` of a
 * database service are its own, those of its server are `--database-server-tags`.
 */
function named(flags, { noun }) {
  const own = noun
    .replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    .replace(/(ie)?s$/, (_, ie) => (ie ? "y" : ""));
  const isOwn = ({ path, at }) => at !== "body" || path.length === 1 || (path.length === 2 && path[0].startsWith(own));
  const taken = new Set(GLOBAL_FLAGS);
  const names = new Map();
  for (const flag of [...flags.filter(isOwn), ...flags.filter((each) => !isOwn(each))]) {
    // The members of a member of a member would not say whose they are.
    for (let length = flag.path.length > 3 ? 2 : 1; length <= flag.path.length; length++) {
      const name = kebab(flag.path.slice(-length).join("-"));
      const rivals = flags.filter((each) => !isOwn(each) && kebab(each.path.slice(-length).join("-")) === name);
      if (taken.has(name) || (!isOwn(flag) && rivals.length > 1 && length < flag.path.length)) continue;
      taken.add(name);
      names.set(flag, name);
      break;
    }
    if (!names.has(flag)) {
      const name = kebab(`${noun}-${flag.path.join("-")}`);
      names.set(flag, name);
      taken.add(name);
    }
  }
  return flags.map((flag) => ({ name: names.get(flag), ...flag }));
}

/** The fields of a record in a table: what is short. The first are those that people look for. */
function columnsOf({ answer, content, records }) {
  const [kind, key] = answer.split(":");
  if (kind !== "list" && kind !== "record") return undefined;
  const schema = resolve(kind === "list" ? records : content?.properties?.[key]);
  const record = schema?.type === "array" ? resolve(schema.items) : schema;
  return Object.entries(record?.properties ?? {})
    .filter(([, value]) => isShort(resolve(value)))
    .map(([name]) => name);
}

function isShort(schema) {
  const types = [schema.type, ...(schema.anyOf ?? []).map(({ type }) => type)].flat();
  return !types.includes("array") && !types.includes("object") && schema.format !== "uri";
}

function resolve(value) {
  if (!value?.$ref) return value;
  const [, , part, name] = value.$ref.split("/");
  return resolve(document.components[part][name]);
}

function kebab(text) {
  return text
    .replace(/(?<=[a-z])[A-Z]/g, (letter) => `-${letter}`)
    .replaceAll("_", "-")
    .toLowerCase();
}
function kebabOf(text) {
  return text.replaceAll("_", "-");
}
