#!/usr/bin/env node
import { CommanderError } from "commander";
import { EXIT } from "./exit-codes.js";
import { failureOf } from "./failures.js";
import { nouns } from "./generated/nouns.js";
import { pluralOf, programFor } from "./program.js";
import { terminalOf } from "./terminal.js";

// Nothing is awaited here: Node would end with a warning and code 13 if nothing were left that could go on.
process.exitCode = EXIT.interrupted;
void main(process.argv.slice(2)).then(async (exitCode) => {
  process.exitCode = exitCode;
  // A pipe may not have taken all of a long output yet, which an exit would cut off.
  await Promise.all([process.stdout, process.stderr].map((stream) => new Promise((taken) => stream.write("", taken))));
  // A connection that is kept alive would keep the process.
  process.exit();
});

/** Runs the command and returns its exit code. */
async function main(words: string[]): Promise<number> {
  // A reader such as `head` that has enough is no failure.
  process.stdout.on("error", ({ code }: NodeJS.ErrnoException) => code === "EPIPE" && process.exit(EXIT.done));
  if (words[0] === "__complete") return (await import("./completion.js")).complete(words.slice(1));
  if (words[0] === "help") words = [...words.slice(1), "--help"];
  if (words[0] === "--version" || words[0] === "-V") words = ["version"];
  const program = await programFor(words);
  const each = [program, ...program.commands.flatMap((command) => [command, ...command.commands])];
  for (const command of each)
    command.exitOverride().configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, "✕ ")) });
  try {
    if (words.length === 0) program.help();
    await program.parseAsync(words, { from: "user" });
    return EXIT.done;
  } catch (error) {
    if (error instanceof CommanderError) return usage(error, words);
    return await show(error, words);
  }
}

function usage({ code, exitCode }: CommanderError, words: string[]): number {
  if (exitCode === 0 || code === "commander.help") return EXIT.done;
  const depth = code === "commander.unknownCommand" ? knownNames(words) : 2;
  const names = words.filter((word) => !word.startsWith("-")).slice(0, depth);
  process.stderr.write(`  ${["gantry", ...names, "--help"].join(" ")}\n`);
  return EXIT.wrongUse;
}

/** How many of the first names are known. */
function knownNames([noun = ""]: string[]): number {
  return pluralOf(noun) in nouns ? 1 : 0;
}

async function show(error: unknown, words: string[]): Promise<number> {
  const terminal = terminalOf(process, { color: !words.includes("--no-color") });
  const [noun = "", verb = ""] = words.filter((word) => !word.startsWith("-"));
  const facts = (await nouns[pluralOf(noun)]?.load())?.noun[verb];
  const { message, hints, exitCode } = await failureOf(error, { facts, words });
  const mark = exitCode === EXIT.interrupted || exitCode === EXIT.waitedEnough ? "" : `${terminal.style("red", "✕")} `;
  if (message) process.stderr.write(`${mark}${message}\n${hints.map((hint) => `  ${hint}\n`).join("")}`);
  return exitCode;
}
