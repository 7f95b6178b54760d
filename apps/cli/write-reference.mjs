// Writes COMMANDS.md, the reference of the command, from the command's own table; with --check it only compares.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const file = join(import.meta.dirname, "COMMANDS.md");
const folder = join(import.meta.dirname, "src/generated/nouns");
const nouns = readdirSync(folder).sort();
const text = [
  "# Commands",
  "",
  "<!-- Written by `npm run commands`. -->",
  "",
  "All commands for the operations of the API. `gantry NOUN VERB --help` explains the flags. [README.md](README.md) shows the other commands.",
  ...nouns.flatMap((name) => sectionOf(name.replace(".ts", ""), readFileSync(join(folder, name), "utf8"))),
  "",
].join("\n");

if (!process.argv.includes("--check")) writeFileSync(file, text);
else if (readFileSync(file, "utf8") !== text) {
  console.error("apps/cli/COMMANDS.md is not what the table of commands says.");
  process.exitCode = 1;
}

function sectionOf(noun, source) {
  const start = source.indexOf("= {") + 2;
  const verbs = Object.entries(JSON.parse(source.slice(start, source.lastIndexOf(";"))));
  return [
    "",
    `## ${noun}`,
    "",
    ...verbs.map(([verb, { summary, ids, flags }]) => {
      const words = ["gantry", noun, verb, ...ids.map(({ of }) => of.toUpperCase().replace(/(?<=SS)ES$|(?<!S)S$/, ""))];
      const given = flags.map(({ name, isSecret }) => `\`--${name}${isSecret ? "-stdin" : ""}\``).join(" ");
      return `- \`${words.join(" ")}\`: ${summary.replaceAll("<", "&lt;")}${given && `. ${given}`}`;
    }),
  ];
}
