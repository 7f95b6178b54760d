import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { chartSchema } from "./settings/chart-schema.js";
import { chartValues } from "./settings/chart-values.js";
import { commonTable, settingsPage } from "./settings/pages.js";

const USAGE = `Usage: npm run settings [-- --check]

Writes docs/settings.md, the table of common settings in README.md, and the settings in the schema of the Helm chart's
values, from packages/runtime/src/settings.ts; and the table of values in the chart's README from its values and their
schema. With --check, writes nothing and fails if one of them is out of date.`;

const CHART = "deploy/helm/gantry";
const root = join(import.meta.dirname, "..");
const read = (name: string) => readFileSync(join(root, CHART, name), "utf8");
const [word] = process.argv.slice(2);

if (word !== undefined && word !== "--check") {
  console.log(USAGE);
  process.exitCode = word === "--help" ? 0 : 2;
} else {
  const files = {
    "docs/settings.md": () => settingsPage(),
    "README.md": (text: string) => withTable(text, commonTable("docs/settings.md")),
    [`${CHART}/values.schema.json`]: chartSchema,
    [`${CHART}/README.md`]: (text: string) =>
      withTable(text, chartValues(read("values.schema.json"), read("values.yaml"))),
  };
  for (const [name, write] of Object.entries(files)) {
    const file = join(root, name);
    const text = existsSync(file) ? readFileSync(file, "utf8") : "";
    const current = write(text);
    if (text === current) continue;
    if (word !== "--check") writeFileSync(file, current);
    else {
      console.error(`${name} differs from the settings; run \`npm run settings\`.`);
      process.exitCode = 1;
    }
  }
}

/** Returns the text with another table between the two comments that mark its place. */
function withTable(text: string, table: string): string {
  const marked = /(<!-- Written by `npm run settings`\. -->\n\n).*?(\n<!-- End of settings\. -->)/s;
  if (!marked.test(text)) throw new Error("A README.md has no markers for its table.");
  return text.replace(marked, (_, start, end) => `${start}${table}${end}`);
}
