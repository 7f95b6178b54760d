import type { CommandFacts, Flag, Noun } from "../command-table.js";
import { CommandError } from "../exit-codes.js";
import { nouns } from "../generated/nouns.js";
import { at, type CallInput, put, withDefaults } from "../input.js";
import { idOf } from "../names.js";
import type { Session } from "../session.js";

/** An operation of the API by its name, such as `networks create`. */
export interface Operation {
  name: string;
  noun: string;
  facts: CommandFacts;
}

/** @throws CommandError that lists what there is */
export async function operationOf(name: string): Promise<Operation> {
  const [noun = "", verb = "", ...more] = name.trim().split(/\s+/);
  const verbs = await verbsOf(noun);
  const facts = Object.hasOwn(verbs, verb) ? verbs[verb] : undefined;
  if (!facts || more.length > 0)
    throw new CommandError(`there is no operation ${name}`, undefined, [
      `${noun} can: ${Object.keys(verbs).join(", ")}`,
    ]);
  return { name: `${noun} ${verb}`, noun, facts };
}

/** @throws CommandError that lists the collections */
export async function verbsOf(noun: string): Promise<Noun> {
  const known = Object.hasOwn(nouns, noun) ? nouns[noun] : undefined;
  if (known) return (await known.load()).noun;
  throw new CommandError(`there is no collection ${noun}`, undefined, [
    `collections: ${Object.keys(nouns).join(", ")}`,
  ]);
}

/**
 * Makes a call from ids or names and from values in the form of the API; a key such as `network.cidr` sets an inner value.
 *
 * @throws CommandError for a secret, an unknown filter, or a value that is missing
 */
export async function callOf(
  session: Session,
  { name, facts }: Operation,
  ids: readonly string[],
  input: Readonly<Record<string, unknown>>,
): Promise<CallInput> {
  const { flags } = facts;
  const given = nested(input);
  refuseSecrets(flags, given, name);
  if (ids.length !== facts.ids.length)
    throw new CommandError(
      `${name} needs ${facts.ids.length} ids: ${facts.ids.map(({ of }) => of).join(", ") || "none"}`,
    );
  let { path } = facts;
  for (const [index, { name: parameter, of }] of facts.ids.entries())
    path = path.replace(`{${parameter}}`, encodeURIComponent(await idOf(session, of, ids[index] as string)));
  const query: Record<string, unknown> = {};
  for (const flag of flags) {
    const value = at(given, flag.path) ?? (flag.name === "account" ? session.givenAccount() : undefined);
    if (value === undefined) continue;
    const known = await withIds(session, flag, value);
    if (flag.at === "body") put(given, flag.path, known);
    else delete given[flag.path[0] as string];
    if (flag.at === "path") path = path.replace(`{${flag.path[0]}}`, encodeURIComponent(String(known)));
    if (flag.at === "query") query[flag.path[0] as string] = known;
  }
  const unknown = Object.keys(given);
  if (unknown.length > 0 && !flags.some((flag) => flag.at === "body"))
    throw new CommandError(`${name} has no ${unknown.join(", ")}`, undefined, [
      `it has: ${flags.map((flag) => flag.path.join(".")).join(", ") || "no input"}`,
    ]);
  return withDefaults(session, flags, { path, query, body: unknown.length > 0 ? given : undefined });
}

/** Names become ids; other values stay as they are. */
async function withIds(session: Session, { of, type }: Flag, value: unknown): Promise<unknown> {
  if (!of || value === null) return value;
  if (Array.isArray(value)) return Promise.all(value.map((each) => idOf(session, of, String(each))));
  return type === "id" || type === "list" || typeof value === "string" ? idOf(session, of, String(value)) : value;
}

/** What an agent writes may be kept anywhere. */
function refuseSecrets(flags: readonly Flag[], given: Record<string, unknown>, name: string): void {
  const secret = flags.find((flag) => flag.isSecret && (flag.isRequired || at(given, flag.path) !== undefined));
  if (!secret) return;
  throw new CommandError(`${secret.path.join(".")} is a secret, which no tool accepts`, undefined, [
    `ask the user to run: gantry ${name}`,
  ]);
}

function nested(input: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  // A copy, so that the ids that are set in it do not change what the host sent.
  for (const [key, value] of Object.entries(structuredClone(input))) put(values, key.split("."), value);
  return values;
}
