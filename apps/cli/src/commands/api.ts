import { readFileSync } from "node:fs";
import { text as textOf } from "node:stream/consumers";
import { nextPage, pageAt } from "@gantry/client";
import { Command } from "commander";
import { CommandError } from "../exit-codes.js";
import { assignmentIn, put, valueIn } from "../input.js";
import { print } from "../print.js";
import type { Session } from "../session.js";
import { type Builder, collect } from "./builder.js";

interface Options {
  field?: string[];
  file?: string;
  paginate?: boolean;
  include?: boolean;
}

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"];

export const build: Builder = (name, sessionOf) =>
  new Command(name)
    .argument("<method>", METHODS.join(", "))
    .argument("<path>", "such as /networks?per_page=5")
    .option(
      "-f, --field <path=value>",
      "a value of the body, such as network.name=shop; of the query for GET; may be repeated",
      collect,
    )
    .option("-F, --file <file>", "the body as JSON, or - for standard input")
    .option("--paginate", "read all pages of a list")
    .option("-i, --include", "print the status and the headers to standard error")
    .action(async (method: string, path: string, options: Options, command: Command) =>
      call(sessionOf(command), method.toUpperCase(), path, options),
    );

async function call(session: Session, method: string, path: string, options: Options): Promise<void> {
  if (!METHODS.includes(method)) throw new CommandError(`there is no method ${method}`, 2, [METHODS.join(", ")]);
  if (!path.startsWith("/")) throw new CommandError(`${path} does not begin with /`, 2, ["such as /networks"]);
  const { pathname, searchParams } = new URL(path, "http://localhost");
  const query: Record<string, unknown> = Object.fromEntries(
    [...new Set(searchParams.keys())].map((name) => [name, searchParams.getAll(name)]),
  );
  let body = await bodyOf(session, options);
  for (const field of options.field ?? []) {
    const [name, value] = assignmentIn("--field", field);
    if (method !== "GET") body ??= {};
    if (body) put(body, name.split("."), valueIn(value));
    else query[name] = value;
  }
  const { idempotencyKey, reason } = session.options;
  const common = { idempotencyKey, reason };
  let { body: answer, response } = await session.gantry.call(method, pathname, { ...common, query, body });
  if (options.include) {
    session.terminal.err.write(
      `HTTP ${response.status}\n${[...response.headers].map(([name, value]) => `${name}: ${value}\n`).join("")}\n`,
    );
  }
  for (let next = nextPage(response); options.paginate && next; next = nextPage(response)) {
    const page = await session.gantry.call(method, pathname, { ...common, query: { ...query, ...pageAt(next) } });
    response = page.response;
    const [key = "", rows] = Object.entries(page.body as object).find(([, value]) => Array.isArray(value)) ?? [];
    (answer as Record<string, unknown[]>)[key]?.push(...(rows as unknown[]));
  }
  const { output } = session.options;
  if (answer === undefined) return;
  if (typeof answer === "string" || output === "yaml") return print(session, { document: answer });
  session.terminal.out.write(`${JSON.stringify(answer, null, 2)}\n`);
}

async function bodyOf({ terminal }: Session, { file }: Options): Promise<Record<string, unknown> | undefined> {
  if (file === undefined) return undefined;
  const text = file === "-" ? await textOf(terminal.in) : readFileSync(file, "utf8");
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch (error) {
    throw new CommandError(`--file ${file}: not valid JSON: ${(error as Error).message}`);
  }
}
