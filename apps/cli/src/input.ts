import { readFileSync } from "node:fs";
import { text as textOf } from "node:stream/consumers";
import type { CommandFacts, Flag } from "./command-table.js";
import { CommandError, EXIT } from "./exit-codes.js";
import { accountOf, idOf } from "./names.js";
import { ask } from "./prompts.js";
import type { Session } from "./session.js";

/** What a command sends. */
export interface CallInput {
  path: string;
  query: Record<string, unknown>;
  body: Record<string, unknown> | undefined;
}

/** The values of flags by their names, as commander collects them: texts, true, or lists of texts. */
export type Given = Record<string, string | boolean | string[] | undefined>;

/**
 * Makes the call of a command from its words and flags: names become ids, texts become values of their types.
 *
 * @param words the names or ids before the flags
 * @throws CommandError that names the flag
 */
export async function inputOf(
  session: Session,
  facts: CommandFacts,
  flags: readonly Flag[],
  words: readonly string[],
  given: Given,
): Promise<CallInput> {
  let { path } = facts;
  const query: Record<string, unknown> = {};
  let body: Record<string, unknown> | undefined;
  for (const [index, { name, of }] of facts.ids.entries()) {
    path = path.replace(`{${name}}`, encodeURIComponent(await idOf(session, of, words[index] as string)));
  }
  if (flags.some(({ at }) => at === "body")) body = await filesOf(session, given);
  for (const flag of flags) {
    const value = await flagValue(session, flag, given);
    if (value === undefined) continue;
    if (flag.at === "path") path = path.replace(`{${flag.path[0]}}`, encodeURIComponent(String(value)));
    else if (flag.at === "query") query[flag.path[0] as string] = value;
    else {
      body ??= {};
      put(body, flag.path, value);
    }
  }
  for (const assignment of listOf(given.set)) {
    const [name, value] = assignmentIn("--set", assignment);
    body ??= {};
    put(body, name.split("."), valueIn(value));
  }
  return withDefaults(session, flags, { path, query, body });
}

/**
 * Fills in what a call needs and what there is only one of: the account, the provider.
 *
 * @throws CommandError that names what is missing
 */
export async function withDefaults(session: Session, flags: readonly Flag[], call: CallInput): Promise<CallInput> {
  let { path, query, body } = call;
  const lacking = flags.filter((flag) => flag.isRequired && !isGiven(flag, call));
  const unfilled = lacking.filter(({ of }) => of !== "accounts" && of !== "providers");
  if (unfilled.length > 0) throw missing(unfilled);
  for (const flag of lacking) {
    const id = await defaultOf(session, flag);
    if (flag.at === "path") path = path.replace(`{${flag.path[0]}}`, id);
    else if (flag.at === "query") query[flag.path[0] as string] = id;
    else {
      body ??= {};
      put(body, flag.path, id);
    }
  }
  return { path, query, body };
}

/** The value of a flag; undefined if it was not given. */
async function flagValue(session: Session, flag: Flag, given: Given): Promise<unknown> {
  if (flag.isSecret) return secretOf(session, flag, given);
  const raw = flag.name === "account" ? session.givenAccount() : given[camel(flag.name)];
  if (raw === undefined) return undefined;
  if (flag.type === "list") {
    const items = listOf(raw).flatMap((text) => text.split(","));
    return flag.of
      ? Promise.all(items.map((item) => idOf(session, flag.of as string, item)))
      : items.map((item) => wordOf(flag, item));
  }
  if (flag.type === "map") return mapOf(flag, listOf(raw));
  const text = Array.isArray(raw) ? (raw.at(-1) ?? "") : raw;
  if (typeof text === "boolean") return text;
  // An empty text takes a value away.
  if (text === "" && !flag.isRequired && flag.type !== "boolean") return flag.at === "query" ? "" : null;
  if (flag.type === "id") return flag.of ? idOf(session, flag.of, text) : text;
  if (flag.type === "integer" || flag.type === "number") return numberOf(flag, text);
  if (flag.type === "json") return jsonOf(flag, text);
  return wordOf(flag, text);
}

function numberOf({ name, type }: Flag, text: string): number {
  const value = Number(text);
  if (text.trim() === "" || !Number.isFinite(value) || (type === "integer" && !Number.isInteger(value))) {
    throw new CommandError(`--${name}: ${text} is not ${type === "integer" ? "a whole number" : "a number"}`);
  }
  return value;
}

function jsonOf({ name, example }: Flag, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new CommandError(`--${name}: not valid JSON: ${(error as Error).message}`, EXIT.wrongUse, [
      ...(example === undefined ? [] : [`such as --${name} '${JSON.stringify(example)}'`]),
    ]);
  }
}

function wordOf({ name, values, at }: Flag, text: string): string {
  // The API may know more words than this version of the command.
  if (values && at === "body" && !values.includes(text)) {
    throw new CommandError(`--${name}: there is no ${text}`, EXIT.wrongUse, [`--${name} takes ${values.join(", ")}`]);
  }
  return text;
}

function mapOf({ name }: Flag, texts: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    texts
      .filter((text) => text !== "")
      .map((text) => {
        const at = text.indexOf("=");
        if (at < 1)
          throw new CommandError(`--${name}: ${text} is not key=value`, EXIT.wrongUse, [`such as --${name} team=shop`]);
        return [text.slice(0, at), text.slice(at + 1)];
      }),
  );
}

/** A secret comes from standard input, from a file, or from a question: never from the command line. */
async function secretOf({ terminal }: Session, { name, isRequired }: Flag, given: Given): Promise<string | undefined> {
  const file = given[camel(`${name}-file`)];
  if (given[camel(`${name}-stdin`)]) return (await textOf(terminal.in)).replace(/\r?\n$/, "");
  if (typeof file === "string") return read(file).replace(/\r?\n$/, "");
  if (!isRequired) return undefined;
  if (!terminal.isInteractive) {
    throw new CommandError(`--${name}-stdin or --${name}-file is missing`, EXIT.wrongUse, [
      `such as --${name}-stdin < FILE`,
    ]);
  }
  return ask(terminal, ({ password }, place) => password({ message: name, ...place }));
}

/** The contents of `--file`, JSON or YAML; several are merged. */
async function filesOf({ terminal }: Session, given: Given): Promise<Record<string, unknown>> {
  const body: Record<string, unknown> = {};
  for (const name of listOf(given.file)) {
    const content = name === "-" ? await textOf(terminal.in) : read(name);
    const { default: yaml } = await import("yaml");
    let value: unknown;
    try {
      value = yaml.parse(content);
    } catch (error) {
      throw new CommandError(`--file ${name}: ${(error as Error).message}`);
    }
    if (typeof value !== "object" || value === null || Array.isArray(value))
      throw new CommandError(`--file ${name}: expected an object`);
    merge(body, value as Record<string, unknown>);
  }
  return body;
}

function read(name: string): string {
  try {
    return readFileSync(name, "utf8");
  } catch (error) {
    throw new CommandError(`${name} cannot be read: ${(error as Error).message}`);
  }
}

function merge(target: Record<string, unknown>, more: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(more)) {
    const known = target[name];
    if (isObject(known) && isObject(value)) merge(known, value);
    else target[name] = value;
  }
}

/** True for objects that are no arrays. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * The two sides of `server.name=web-1`.
 *
 * @param flag its name with the dashes, for the error
 */
export function assignmentIn(flag: string, text: string): [name: string, value: string] {
  const at = text.indexOf("=");
  if (at < 1)
    throw new CommandError(`${flag}: ${text} is not path=value`, EXIT.wrongUse, [`such as ${flag} server.name=web-1`]);
  return [text.slice(0, at), text.slice(at + 1)];
}

/** A value in JSON, or else a text, which needs no quotes. */
export function valueIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Sets a value at a path, and makes the objects on the way. */
export function put(target: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [name = "", ...rest] = path;
  if (rest.length === 0)
    Object.defineProperty(target, name, { value, enumerable: true, writable: true, configurable: true });
  else {
    if (!Object.hasOwn(target, name) || !isObject(target[name])) put(target, [name], {});
    put(target[name] as Record<string, unknown>, rest, value);
  }
}

/** The value at a path; undefined if there is none. */
export function at(target: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), target);
}

function isGiven({ at: place, path: names }: Flag, { path, query, body }: CallInput): boolean {
  if (place === "path") return !path.includes(`{${names[0]}}`);
  return at(place === "query" ? query : body, names) !== undefined;
}

/** The only choice that there is. */
async function defaultOf(session: Session, flag: Flag): Promise<string> {
  if (flag.of === "accounts") return accountOf(session);
  if (flag.of === "providers") {
    const query = await accountOf(session).then(
      (account) => ({ account }),
      () => ({}),
    );
    const providers = await session.gantry.providers.list(query).toArray({ max: 20 });
    const [only] = providers;
    if (only && providers.length === 1) return String(only.id);
    throw new CommandError(`--${flag.name} is missing`, EXIT.wrongUse, [
      ...providers.map(
        ({ id, name, provisioned_id }) => `--${flag.name} ${id}  ${[name, provisioned_id].filter(Boolean).join("  ")}`,
      ),
      ...(providers.length === 0 ? ["gantry providers create --type aws … adds an AWS account"] : []),
    ]);
  }
  throw missing([flag]);
}

function missing(flags: readonly Flag[]): CommandError {
  const names = flags.map(({ name, isSecret }) => (isSecret ? `--${name}-stdin` : `--${name}`));
  const hints = flags.map(({ name, values, example, description }) =>
    [
      `--${name}`,
      values ? `one of ${values.join(", ")}` : description,
      example !== undefined && `such as ${textOfExample(example)}`,
    ]
      .filter(Boolean)
      .join("  "),
  );
  return new CommandError(`${names.join(", ")} ${names.length > 1 ? "are" : "is"} missing`, EXIT.wrongUse, hints);
}

function textOfExample(example: unknown): string {
  return typeof example === "object" ? JSON.stringify(example) : String(example);
}

export function listOf(value: Given[string]): string[] {
  return value === undefined || typeof value === "boolean" ? [] : [value].flat();
}

/** The name of a flag in commander's results: `volume-size` → `volumeSize` */
export function camel(name: string): string {
  return name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}
