import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type MetricRow, metricTables } from "@gantry/telemetry";
import { markdownTable } from "./settings/pages.js";

const USAGE = `Usage: npm run metrics [-- --check]

Writes the tables of docs/metrics.md from packages/telemetry/src/metrics. With --check, writes nothing and fails if one of
them is out of date.`;

const file = join(import.meta.dirname, "..", "docs", "metrics.md");
const [word] = process.argv.slice(2);

if (word !== undefined && word !== "--check") {
  console.log(USAGE);
  process.exitCode = word === "--help" ? 0 : 2;
} else {
  const text = readFileSync(file, "utf8");
  const current = Object.entries<MetricRow[]>(metricTables()).reduce(withTable, text);
  if (text !== current && word !== "--check") writeFileSync(file, current);
  else if (text !== current) {
    console.error("docs/metrics.md differs from the metrics; run `npm run metrics`.");
    process.exitCode = 1;
  }
}

/** Returns the text with another table between the two comments that mark its place. */
function withTable(text: string, [name, rows]: [string, MetricRow[]]): string {
  const marked = new RegExp(`(<!-- Metrics: ${name}\\. -->\n\n).*?(\n<!-- End of metrics\\. -->)`, "s");
  if (!marked.test(text)) throw new Error(`docs/metrics.md has no markers for the metrics "${name}".`);
  const cells = rows.map((row) => [`\`${row.name}\``, row.type, row.labels.join(", ") || "–", row.help]);
  const table = markdownTable([["metric", "type", "labels", "meaning"], ...cells]);
  return text.replace(marked, (_, start, end) => `${start}${table}${end}`);
}
