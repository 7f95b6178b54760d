import { hash } from "node:crypto";
import { nextPage, type Plan, pageAt } from "@gantry/client";
import { Command, Option } from "commander";
import type { Called, CommandFacts, Flag } from "../command-table.js";
import { connectionOf } from "../connections.js";
import { CommandError, EXIT } from "../exit-codes.js";
import { leftInAws } from "../failures.js";
import { nouns } from "../generated/nouns.js";
import { type CallInput, type Given, inputOf } from "../input.js";
import { singular } from "../names.js";
import { planLines } from "../plan-view.js";
import { isForMachines, print, type Rows, unread } from "../print.js";
import { followCancel } from "../progress/follow.js";
import { agrees } from "../prompts.js";
import type { Session } from "../session.js";
import { collect, type SessionOf } from "./builder.js";
import { showChecks } from "./checks.js";
import { addListOptions, type EventOptions, showEvents } from "./events.js";
import { DEFAULT_MAX, maxOf } from "./max.js";
import { showParts } from "./parts.js";
import { refuseReplay } from "./replays.js";
import { showRequest } from "./request-answer.js";

const PAGE = 100;

/** Whether a command removes something that is not easily made again. */
function isDestructive({ method, id }: CommandFacts): boolean {
  return method === "DELETE" || id.startsWith("deprovision");
}

/**
 * The command of an operation of the API, with its flags.
 *
 * @param session the session of the flags that were given
 */
export function resourceCommand(noun: string, verb: string, facts: CommandFacts, session: SessionOf): Command {
  const command = new Command(verb).description(facts.summary);
  for (const { name, of } of facts.ids)
    command.argument(`<${singular(of).replaceAll(" ", "-") || name}>`, `the name or the id of one of ${of}`);
  for (const flag of facts.flags) for (const option of optionsOf(flag)) command.addOption(option);
  const takesBody = facts.flags.some(({ at }) => at === "body");
  if (takesBody) {
    command.option("-F, --file <file>", "read the input from a JSON or YAML file, or from - ; flags win", collect);
    command.option("--set <path=value>", "set any value of the input, such as server.name=web-1", collect);
  }
  if (facts.answer.startsWith("list")) {
    command.option("--max <number>", `show at most this many records (default: ${DEFAULT_MAX})`);
    command.option("--all", "show all records");
  }
  if (facts.answer === "events") {
    addListOptions(command.description(`${facts.summary}. Lists past events, newest last; --follow goes on`));
    command.option("--follow", "show events as they happen, until Ctrl-C, --timeout or the end of the request");
  }
  command.action(async (...words: unknown[]) => {
    const given = words.at(-2) as Given;
    await run(session(command), { noun, verb, facts }, words.slice(0, facts.ids.length) as string[], given);
  });
  return command;
}

function optionsOf(flag: Flag): Option[] {
  const { name, type, values, isRequired, of } = flag;
  // Every command has this one.
  if (name === "account") return [];
  const text = `${descriptionOf(flag)}${isRequired && of !== "accounts" && of !== "providers" ? " (required)" : ""}`;
  if (flag.isSecret) {
    return [
      new Option(`--${name}-stdin`, `read ${name} from standard input`),
      new Option(`--${name}-file <file>`, `read ${name} from a file`),
    ];
  }
  if (type === "boolean") {
    const negated = new Option(`--no-${name}`, `not --${name}`);
    return [new Option(`--${name}`, text), flag.default === true ? negated : negated.hideHelp()];
  }
  const placeholder =
    type === "map" ? "key=value" : type === "id" ? (of ? singular(of).replaceAll(" ", "-") : "id") : type;
  const option = new Option(`--${name} <${placeholder}>`, text);
  if (type === "list" || type === "map") option.argParser(collect);
  if (values && values.length <= 12 && flag.at === "query") option.choices(values.map(String));
  return [option];
}

function descriptionOf({ description, values, default: usual, type, at }: Flag): string {
  const words = values && values.length <= 12 && at === "body" ? `one of ${values.join(", ")}` : "";
  const normal =
    usual === undefined || usual === null || typeof usual === "object" || usual === "" ? "" : `default: ${usual}`;
  const repeated = type === "list" || type === "map" ? "may be repeated" : "";
  return [description, [words, normal, repeated].filter(Boolean).join("; ")].filter(Boolean).join("; ");
}

async function run(session: Session, called: Called, words: string[], given: Given): Promise<void> {
  const { facts } = called;
  const { options } = session;
  const input = await inputOf(session, facts, facts.flags, words, given);
  if (facts.method === "PATCH" && Object.keys(input.body ?? {}).length === 0) {
    const names = facts.flags.filter(({ at }) => at === "body").map(({ name }) => `--${name}`);
    throw new CommandError("nothing to change", EXIT.wrongUse, [`give at least one of ${names.join(", ")}`]);
  }
  if (options.dryRun) return showPlan(session, facts, input);
  if (isDestructive(facts) || facts.id === "cancelRequest") await confirm(session, called, words);
  if (facts.id === "cancelRequest" && options.wait !== false) return cancel(session, input);
  if (facts.answer === "events") return showEvents(session, input, given as EventOptions);
  if (facts.answer.startsWith("list")) return showList(session, called, input, given);
  if (facts.id === "listRequestChecks") return showChecks(session, input.path.split("/").at(-2) as string);
  const reply = await send(session, facts, input);
  if (facts.answer === "request") return showRequest(session, called, reply);
  await refuseReplay(session, called, reply);
  await showAnswer(session, called, reply.body);
}

function send(session: Session, facts: CommandFacts, { path, query, body }: CallInput, more: object = {}) {
  const { options, terminal } = session;
  const isPlan = "dry_run" in more;
  const prefix = options.keyPrefix ?? terminal.env.GANTRY_KEY_PREFIX;
  return session.gantry.call(facts.method, path, {
    query: { ...query, ...more },
    body: body ?? (facts.method === "GET" || facts.method === "DELETE" ? undefined : {}),
    reason: options.reason,
    // A plan must not use up the key of the call that follows it.
    idempotencyKey: isPlan
      ? undefined
      : (options.idempotencyKey ?? keyOf(prefix, [facts.method, path, query, body ?? {}])),
  });
}

/** A script that runs again from its top repeats nothing: the same call has the same key. */
function keyOf(prefix: string | undefined, call: readonly unknown[]): string | undefined {
  return prefix ? `${prefix}-${hash("sha256", JSON.stringify(call)).slice(0, 32)}` : undefined;
}

async function showPlan(session: Session, facts: CommandFacts, input: CallInput): Promise<void> {
  if (!facts.canPlan)
    throw new CommandError("this command has no dry run: it changes a record of Gantry only, or nothing");
  const { body } = await send(session, facts, input, { dry_run: true });
  const { plan } = body as { plan: Plan };
  if (isForMachines(session)) await print(session, { document: body });
  else session.terminal.out.write(`${planLines(plan).join("\n")}\n`);
  if (session.options.exitCode && plan.requests.length > 0) throw new CommandError("", EXIT.differs);
}

async function cancel(session: Session, { path }: CallInput): Promise<void> {
  const id = path.split("/").at(-2) as string;
  const { request, leaked, state } = await followCancel(session, session.gantry.requests.resume(id));
  const { terminal } = session;
  if (isForMachines(session)) await print(session, { document: { request, leaked_resources: leaked } });
  if (leaked.length > 0)
    throw new CommandError(`the Request is ${state}, and something is left in AWS`, EXIT.leaked, leftInAws(leaked));
  terminal.err.write(
    state === "cancelled" ? "Cancelled. Nothing is left in AWS.\n" : `The Request had ended already: ${state}.\n`,
  );
}

async function showList(
  session: Session,
  { noun, facts }: Called,
  { path, query }: CallInput,
  given: Given,
): Promise<void> {
  const max = given.all ? Number.POSITIVE_INFINITY : maxOf(given.max);
  const key = facts.answer.split(":")[1] as string;
  const rows: Record<string, unknown>[] = [];
  let document: Record<string, unknown> = {};
  let next: string | undefined;
  let total: string | null = null;
  do {
    const pageQuery = { ...query, per_page: Math.min(PAGE, max - rows.length), ...pageAt(next) };
    const { body, response } = await session.gantry.call("GET", path, { query: pageQuery });
    document = { ...(body as object), ...document };
    rows.push(...((body as Record<string, Record<string, unknown>[]>)[key] ?? []));
    total ??= response.headers.get("X-Total-Count");
    next = nextPage(response);
  } while (next && rows.length < max);
  const maker = key.replaceAll("_", "-");
  const way = nouns[maker]?.verbs.includes("create")
    ? `gantry ${maker} create makes one`
    : `gantry ${maker in nouns ? maker : noun} --help shows what there is to do`;
  const empty = `No ${key.replaceAll("_", " ")}. ${way}.`;
  await print(session, { document: { ...document, [key]: rows }, rows: rows as Rows, columns: facts.columns, empty });
  if (session.options.exitCode && noun === "drift" && rows.length > 0) throw new CommandError("", EXIT.differs);
  if (next && !session.options.quiet) session.terminal.err.write(`${rows.length} of ${total}; --all shows all\n`);
}

async function showAnswer(session: Session, { noun, facts }: Called, body: unknown): Promise<void> {
  if (body === undefined) {
    if (!session.options.quiet) session.terminal.err.write("Done.\n");
    if (session.options.json) await print(session, { document: {} });
    return;
  }
  if (typeof body === "string") return print(session, { document: body });
  const isChange = facts.method !== "GET";
  const [, key] = facts.answer.split(":");
  const value = key ? (body as Record<string, unknown>)[key] : body;
  if (Array.isArray(value)) {
    const rows = value.map((item: unknown) =>
      typeof item === "object" && item !== null ? item : { value: item },
    ) as Rows;
    return print(session, {
      document: body,
      rows,
      columns: Object.keys(rows[0] ?? {}),
      empty: `No ${key?.replaceAll("_", " ")}.`,
    });
  }
  const record = typeof value === "object" && value !== null ? value : { [key ?? "value"]: value };
  const isSecret = facts.answer === "body" && isChange;
  const isShow = !isChange && !isForMachines(session) && !session.options.quiet;
  const row = record as Record<string, unknown>;
  if (await showParts(session, body, row)) return;
  const connection = isShow && facts.path.split("/").length === 3 ? await connectionOf(session, noun, row) : undefined;
  const lacksSecrets =
    isShow && unread(row).length > 0 && !(await session.gantry.tokens.current()).scopes.includes("secrets:read");
  await print(session, { document: body, record: row, isSecret, connection, lacksSecrets, isChange });
}

/** Asks before something goes. Without a terminal, `--yes` is the answer. */
async function confirm({ options, terminal }: Session, { noun, verb, facts }: Called, words: string[]): Promise<void> {
  if (options.yes || facts.answer === "none") return;
  const what = `${verb.replaceAll("-", " ")} ${singular(noun)} ${words.join(" ")}`;
  if (!terminal.isInteractive) throw new CommandError(`${what}: add --yes to do it without a question`, EXIT.wrongUse);
  if (!(await agrees(terminal, `${what}?`))) throw new CommandError("nothing was done", EXIT.notAllowed);
}
