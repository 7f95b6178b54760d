import type { CommandFacts, Flag } from "../command-table.js";
import { nouns } from "../generated/nouns.js";
import { linesThatFit, startOf, withCursor } from "./answers.js";
import { operationOf, verbsOf } from "./call.js";

/** What can be done: all collections, the operations of one, or the input of one operation. */
export async function listOperations(name: string | undefined, cursor: string | undefined): Promise<string> {
  const { text, next } = linesThatFit(await linesOf(name), startOf(cursor));
  return withCursor(text, next === undefined ? undefined : String(next));
}

async function linesOf(name: string | undefined): Promise<string[]> {
  if (!name) return Object.entries(nouns).map(([noun, { verbs }]) => `${noun}: ${verbs.join(", ")}`);
  if (name.trim().includes(" ")) {
    const { facts, name: known } = await operationOf(name);
    return [headOf(known, facts), ...facts.flags.map(lineOf)];
  }
  return Object.entries(await verbsOf(name)).map(([verb, facts]) => {
    const required = facts.flags.filter(({ isRequired }) => isRequired);
    return `${headOf(`${name} ${verb}`, facts)}${required.map((flag) => ` ${flag.path.join(".")}`).join("")}`;
  });
}

function headOf(name: string, { summary, ids, canPlan, method }: CommandFacts): string {
  const needs = ids.length > 0 ? ` ids: ${ids.map(({ of }) => of).join(", ")}.` : "";
  return `${name}: ${summary}.${needs}${canPlan ? " Has a plan with cost." : method === "GET" ? " Reads." : ""}`;
}

function lineOf({ path, type, isRequired, isSecret, of, values, default: usual, example, description }: Flag): string {
  const facts = [
    `${type}${of ? ` of ${of}, or its name` : ""}`,
    isRequired && "required",
    isSecret && "secret: use the command",
    values && `one of ${values.join(", ")}`,
    usual !== undefined && usual !== null && `default ${JSON.stringify(usual)}`,
    !values && example !== undefined && `such as ${JSON.stringify(example)}`,
    description,
  ];
  return `  ${path.join(".")}: ${facts.filter(Boolean).join("; ")}`;
}
