import { nextPage, pageAt } from "@gantry/client";
import type { CommandFacts } from "../command-table.js";
import { CommandError } from "../exit-codes.js";
import { nouns } from "../generated/nouns.js";
import { accountOf } from "../names.js";
import type { Session } from "../session.js";
import { linesThatFit, partOf, textOf, withCursor } from "./answers.js";
import { callOf, type Operation, operationOf, verbsOf } from "./call.js";

const PAGE = 50;
const FOUND_IN_EACH = 5;
/** Calls at the same time. */
const LANES = 6;

export interface ListInput {
  collection: string;
  part?: string | undefined;
  id?: string | undefined;
  filters?: Record<string, unknown> | undefined;
  cursor?: string | undefined;
}

/** The records of a collection, or what one record has: a line of JSON for each. */
export async function listRecords(
  session: Session,
  { collection, part = "list", id, filters = {}, cursor = "0" }: ListInput,
) {
  const operation = await readOf(`${collection} ${part}`);
  const { path, query } = await callOf(session, operation, id === undefined ? [] : [id], filters);
  const [, start = "0", apiCursor] = /^(\d+)(?:\/(.+))?$/.exec(cursor) ?? [];
  const isPaged = operation.facts.answer.startsWith("list");
  const { body, response } = await session.gantry.call("GET", path, {
    query: { ...query, ...(isPaged && { per_page: PAGE, ...pageAt(apiCursor) }) },
  });
  const [, key = ""] = operation.facts.answer.split(":");
  const value = (body as Record<string, unknown>)[key] ?? body;
  if (!Array.isArray(value)) return partOf(textOf(value), start);
  const { text, next } = linesThatFit(value.map(textOf), Number(start));
  const following = nextPage(response);
  const total = response.headers.get("X-Total-Count");
  const head = `${total ?? value.length} ${key.replaceAll("_", " ")}${total ? " in all" : ""}`;
  const more = next === undefined ? following && `0/${following}` : [next, apiCursor].filter(Boolean).join("/");
  return withCursor([head, text].filter(Boolean).join("\n"), more || undefined);
}

/** One record as JSON, by its id or its name. */
export async function getRecord(session: Session, collection: string, id: string, cursor: string | undefined) {
  const { path, query } = await callOf(session, await readOf(`${collection} show`), [id], {});
  const { body } = await session.gantry.call("GET", path, { query });
  return partOf(textOf(Object.values(body as object)[0]), cursor);
}

/** Records of all collections whose name contains some words, or whose AWS id is these words. */
export async function find(session: Session, words: string): Promise<string> {
  const account = await accountOf(session).catch(() => undefined);
  const loaded = await Promise.all(
    Object.keys(nouns).map(async (noun) => ({ noun, list: (await verbsOf(noun)).list })),
  );
  const searches = loaded.flatMap(({ noun, list }) =>
    list ? filtersFor(list).map((filter) => ({ noun, path: list.path, filter })) : [],
  );
  const found = new Map<string, string>();
  const failures: string[] = [];
  const queue = searches.filter(({ path }) => account || !path.includes("{account}")).values();
  const lane = async () => {
    for (const { noun, path, filter } of queue) {
      try {
        const query = { [filter]: words, per_page: FOUND_IN_EACH };
        const { body } = await session.gantry.call("GET", path.replace("{account}", account ?? ""), { query });
        const records = (Object.values(body as object).find(Array.isArray) ?? []) as { id: string | number }[];
        for (const record of records) found.set(`${noun} ${record.id}`, `${noun}: ${summaryOf(record)}`);
      } catch (error) {
        failures.push(`${noun}: ${(error as Error).message}`);
      }
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  const lines =
    found.size > 0
      ? [...found.values()].sort()
      : [`Nothing has ${JSON.stringify(words)} in its name or as its AWS id.`];
  return linesThatFit([...lines, ...failures.map((failure) => `not searched: ${failure}`)]).text;
}

/** What `words` can be in the records of a list. */
function filtersFor(list: CommandFacts): string[] {
  if (/\{(?!account\})/.test(list.path)) return [];
  const names = list.flags.flatMap(({ at, path }) => (at === "query" ? path : []));
  return ["q", "provisioned_id"].filter((name) => names.includes(name));
}

function summaryOf(record: object): string {
  return textOf(Object.fromEntries(Object.entries(record).filter(([, value]) => typeof value !== "object")));
}

/** @throws CommandError if it is not an operation that reads */
async function readOf(name: string): Promise<Operation> {
  const operation = await operationOf(name);
  const { method, answer } = operation.facts;
  if (method !== "GET") throw new CommandError(`${name} is a change`, undefined, ["make_plan shows what it would do"]);
  if (answer === "text" || answer === "events")
    throw new CommandError(`${name} is no list of records`, undefined, [`read_events, or the user: gantry ${name}`]);
  return operation;
}
