import type { Command } from "commander";
import { nouns } from "./generated/nouns.js";
import { accountOf } from "./names.js";
import { programFor } from "./program.js";
import { Session } from "./session.js";
import { terminalOf } from "./terminal.js";

const AT_MOST = 100;

/** Prints the words that can stand at the end of a line, the last of which is only begun. Never says what failed. */
export async function complete(words: string[]): Promise<number> {
  try {
    const begun = words.at(-1) ?? "";
    const found = await candidates(words.slice(0, -1), begun);
    for (const word of [...new Set(found)].filter((each) => each.startsWith(begun))) process.stdout.write(`${word}\n`);
    return 0;
  } catch {
    return 1;
  }
}

async function candidates(words: string[], begun: string): Promise<string[]> {
  const program = await programFor(words);
  const names = words.filter((word) => !word.startsWith("-"));
  let command: Command = program;
  for (const name of names)
    command = command.commands.find((each) => each.name() === name || each.aliases().includes(name)) ?? command;
  const previous = words.at(-1) ?? "";
  const option = [...command.options, ...program.options].find(
    ({ long, short }) => previous === long || previous === short,
  );
  const facts = (await nouns[names[0] ?? ""]?.load())?.noun[names[1] ?? ""];
  if (option && (option.required || option.optional)) {
    const flag = facts?.flags.find(({ name }) => `--${name}` === option.long);
    if (option.argChoices) return option.argChoices;
    if (flag?.values) return flag.values.map(String);
    if (option.long === "--account") return recordsOf("accounts");
    return flag?.of ? recordsOf(flag.of) : [];
  }
  if (begun.startsWith("-"))
    return [...command.options, ...program.options].filter(({ hidden }) => !hidden).flatMap(({ long }) => long ?? []);
  if (command.commands.length > 0) return command.commands.map((each) => each.name());
  const given = names.length - 2;
  const { of } = facts?.ids[given] ?? {};
  return of ? recordsOf(of) : [];
}

/** Names where there are some, or ids. */
async function recordsOf(collection: string): Promise<string[]> {
  const session = new Session({}, terminalOf(process, { input: false }));
  const path = (await nouns[collection]?.load())?.noun.list?.path ?? `/${collection}`;
  const account = path.includes("{account}") ? await accountOf(session) : "";
  const { body } = await session.gantry.call("GET", path.replace("{account}", account), {
    query: { per_page: AT_MOST },
    maxRetries: 0,
    timeoutMs: 2000,
  });
  const rows = (Object.values(body as object).find(Array.isArray) ?? []) as { id: unknown; name?: string | null }[];
  return rows.map(({ id, name }) => String(name ?? id));
}
