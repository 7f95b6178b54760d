import type { CommandFacts } from "./command-table.js";
import { CommandError, EXIT } from "./exit-codes.js";
import { nouns } from "./generated/nouns.js";
import { ask } from "./prompts.js";
import type { Session } from "./session.js";

const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;
const AT_MOST = 20;

interface Named {
  id: string | number;
  name?: string | null;
}

/**
 * The id of a record that is given by its id, its URL, its name, the id of its object in AWS, or `ENVIRONMENT/NAME`.
 *
 * @throws CommandError if none or several have the name
 */
export async function idOf(session: Session, collection: string, text: string): Promise<string> {
  if (UUID.test(text) || /^\d+$/.test(text)) return text;
  if (/^https?:/.test(text)) return new URL(text).pathname.split("/").at(-1) as string;
  const filters = (await listFacts(collection))?.flags.map(({ path: [name] }) => name) ?? [];
  if (filters.length === 0) return text;
  const [parent, name] = splitParent(text);
  const scope =
    parent && filters.includes("environment") ? { environment: await idOf(session, "environments", parent) } : {};
  const wanted = "environment" in scope ? name : text;
  const found = new Map<string, Named>();
  for (const filter of ["name", "provisioned_id", "email"].filter((each) => filters.includes(each))) {
    for (const record of await search(session, collection, { ...scope, [filter]: wanted }))
      found.set(String(record.id), record);
  }
  const records = [...found.values()];
  const [only] = records;
  if (only && records.length === 1) return String(only.id);
  if (only) return chosen(session, collection, text, records);
  const known = (await search(session, collection, { ...scope, per_page: AT_MOST })).flatMap(({ name }) => name ?? []);
  throw new CommandError(`there is no ${singular(collection)} ${text}`, EXIT.notFound, [
    known.length > 0 ? `${collection}: ${known.join(", ")}` : `gantry ${collection} list`,
  ]);
}

/**
 * The id of the account of a call that needs one: the one that flag, environment or context give, or the only one there is.
 *
 * @throws CommandError that lists the accounts
 */
export async function accountOf(session: Session): Promise<string> {
  const given = session.givenAccount();
  if (given !== undefined) return idOf(session, "accounts", given);
  const accounts = await session.gantry.accounts.list().toArray({ max: AT_MOST });
  const [only] = accounts;
  if (only && accounts.length === 1) return only.id;
  if (!only)
    throw new CommandError("you are a member of no account", EXIT.notFound, ["gantry accounts create --name NAME"]);
  throw new CommandError("you are a member of several accounts", EXIT.wrongUse, [
    ...accounts.map(({ id, name }) => `--account ${id}  ${name}`),
    "or keep one: gantry context set --default-account NAME",
  ]);
}

async function search(session: Session, collection: string, query: Record<string, unknown>): Promise<Named[]> {
  const { path = `/${collection}` } = (await listFacts(collection)) ?? {};
  const account = path.includes("{account}") ? await accountOf(session) : "";
  const { body } = await session.gantry.call("GET", path.replace("{account}", account), {
    query: { per_page: AT_MOST, ...query },
  });
  return (Object.values(body as object).find(Array.isArray) ?? []) as Named[];
}

async function listFacts(collection: string): Promise<CommandFacts | undefined> {
  return (await nouns[collection]?.load())?.noun.list;
}

async function chosen({ terminal }: Session, collection: string, text: string, records: Named[]): Promise<string> {
  if (!terminal.isInteractive) {
    throw new CommandError(
      `${records.length} ${collection} have the name ${text}; give one's id`,
      EXIT.wrongUse,
      records.map(lineOf),
    );
  }
  const message = `${records.length} ${collection} have the name ${text}`;
  const options = records.map((record) => ({ value: String(record.id), label: lineOf(record) }));
  return ask(terminal, ({ select }, place) => select({ message, options, ...place }));
}

function lineOf(record: Named): string {
  const { id, name, state, location, created_at } = record as Named & Record<string, unknown>;
  return [id, name, state, location, created_at && `created ${created_at}`].filter(Boolean).join("  ");
}

function splitParent(text: string): [string | undefined, string] {
  const at = text.lastIndexOf("/");
  return at > 0 ? [text.slice(0, at), text.slice(at + 1)] : [undefined, text];
}

/** `database-servers` → `database server` */
export function singular(collection: string): string {
  return collection.replace(/(?<=ss)es$|(?<!s)s$/, "").replaceAll("-", " ");
}
