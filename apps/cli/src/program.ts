import { Command, Option } from "commander";
import type { Builder, SessionOf } from "./commands/builder.js";
import { millisecondsOf } from "./duration.js";
import { EXIT_CODES } from "./exit-codes.js";
import { nouns } from "./generated/nouns.js";
import { type GlobalOptions, Session } from "./session.js";
import { terminalOf } from "./terminal.js";

/** Commands that are no operation of the API, by their names; each is loaded when it is called. */
const OWN: Record<string, { summary: string; load: () => Promise<{ build: Builder }> }> = {
  login: { summary: "sign in and keep a context", load: () => import("./commands/login.js") },
  logout: { summary: "revoke the context's token and forget it", load: () => import("./commands/logout.js") },
  whoami: { summary: "show who you are, with what, and where", load: () => import("./commands/whoami.js") },
  context: { summary: "list, use, set and remove contexts", load: () => import("./commands/contexts.js") },
  init: {
    summary: "show the commands that make a first network and environment",
    load: () => import("./commands/init.js"),
  },
  up: { summary: "start a local Gantry in a checkout, and use it", load: () => import("./commands/up.js") },
  doctor: { summary: "check the way to Gantry, and what it runs on", load: () => import("./commands/doctor.js") },
  api: { summary: "make any call of the API", load: () => import("./commands/api.js") },
  mcp: { summary: "serve agents by the Model Context Protocol", load: () => import("./commands/mcp.js") },
  completion: { summary: "print the completion of a shell", load: () => import("./commands/completion.js") },
  version: { summary: "show the versions of the command and of Gantry", load: () => import("./commands/version.js") },
};

/** Commands of the command's own beside those of the API, by noun and verb. */
const OWN_VERBS: Record<string, Record<string, () => Promise<{ build: Builder }>>> = {
  requests: {
    watch: () => import("./commands/watch.js"),
    why: () => import("./commands/why.js"),
  },
  events: { list: () => import("./commands/events.js"), tail: () => import("./commands/events.js") },
  audit: { verify: () => import("./commands/audit-verify.js") },
};

/** Nouns that people write in the singular. */
const SINGULARS = new Map(Object.keys(nouns).map((noun) => [noun.replace(/(?<=ss)es$|(?<!s)s$/, ""), noun]));

/** The noun that a word names, also in the singular. */
export function pluralOf(word: string): string {
  return SINGULARS.get(word) ?? word;
}

/**
 * Builds the part of the command that `words` call: all names, and the flags of one command. Building all of them would
 * take longer than most calls.
 */
export async function programFor(words: readonly string[]): Promise<Command> {
  const names = words.filter((word) => !word.startsWith("-"));
  const program = new Command("gantry")
    .description("Builds and runs networks, servers and databases in AWS, through Gantry's API")
    .usage("NOUN VERB [NAME or ID] [flags]")
    .helpCommand(false)
    .showHelpAfterError(false)
    .addHelpText("after", `\n${EXIT_CODES}\n\ngantry NOUN --help lists its verbs; gantry NOUN VERB --help its flags.`)
    .configureHelp({ showGlobalOptions: true, sortSubcommands: false });
  for (const option of globalOptions()) program.addOption(option);
  const session: SessionOf = (command) => {
    const options = command.optsWithGlobals<GlobalOptions>();
    return new Session(options, terminalOf(process, options));
  };
  const [first = "", second = ""] = names;
  const called = pluralOf(first);
  program.commandsGroup("Commands:");
  for (const [name, { summary, load }] of Object.entries(OWN)) {
    if (name === first) program.addCommand((await load()).build(name, session).description(summary));
    else program.command(name).description(summary);
  }
  program.commandsGroup("Nouns:");
  for (const noun of nounNames()) {
    const own = OWN_VERBS[noun] ?? {};
    const all = [...new Set([...Object.keys(own), ...(nouns[noun]?.verbs ?? [])])].sort(
      (one, other) => rankOf(one) - rankOf(other),
    );
    const command = program.command(noun).description(all.join(", ")).helpCommand(false);
    if (noun !== called) continue;
    if (first !== noun) command.alias(first);
    const operations = (await nouns[noun]?.load())?.noun ?? {};
    const { resourceCommand } = await import("./commands/resource.js");
    for (const verb of all) {
      const load = own[verb];
      const facts = operations[verb];
      if (load) command.addCommand((await load()).build(verb, session));
      else if (!facts) continue;
      else if (verb === second || all.length < 2) command.addCommand(resourceCommand(noun, verb, facts, session));
      else command.command(verb).description(facts.summary);
    }
  }
  return program;
}

/** The verbs that every resource has come first. */
function rankOf(verb: string): number {
  const usual = ["list", "show", "create", "update", "delete"].indexOf(verb);
  return usual < 0 ? 9 : usual;
}

/** All nouns but those that are commands by themselves, such as `version`. */
function nounNames(): string[] {
  return [...new Set([...Object.keys(nouns), ...Object.keys(OWN_VERBS)])].filter((noun) => !(noun in OWN)).sort();
}

function globalOptions(): Option[] {
  return [
    new Option("-o, --output <format>", "the format of results").choices(["table", "wide", "json", "yaml", "name"]),
    new Option("--json", "the same as --output json: one document on standard output"),
    new Option("--columns <names>", "the columns of a table, such as id,name"),
    new Option("-q, --quiet", "print ids only, and no progress"),
    new Option("-v, --verbose", "print every call with its status, time and trace id"),
    new Option("-y, --yes", "answer yes to every question"),
    new Option("--dry-run", "show what would be done and what it costs, and do nothing"),
    new Option("--exit-code", "with --dry-run or drift list, exit with 10 if there are changes or drift"),
    new Option("--no-wait", "print the Request's id, and do not wait for its end"),
    // Read before anything is sent: a wrong duration changes nothing.
    new Option("--timeout <duration>", "stop waiting after a time such as 10m; the work goes on").argParser(
      millisecondsOf,
    ),
    new Option("--account <account>", "the name or the id of the account"),
    new Option("--context <name>", "the context of gantry login"),
    new Option("--api <url>", "the address of Gantry; needs GANTRY_TOKEN"),
    new Option("--reason <text>", "why you act in another account, as staff"),
    new Option("--idempotency-key <key>", "the key of a change that is repeated").hideHelp(),
    new Option(
      "--key-prefix <text>",
      "make the key of each change from this text and a hash of its call, input included: a change that was made with the same key is not made again, so a script can run again from its top",
    ),
    new Option("--no-color", "no colors"),
    new Option("--no-input", "ask nothing"),
  ];
}
