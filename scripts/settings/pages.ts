import { describeSettings, type SettingDescription } from "@gantry/runtime";
import { upperFirst } from "es-toolkit/string";

/** Returns docs/settings.md. */
export function settingsPage(): string {
  const sections = describeSettings().map(({ title, settings }) =>
    [`## ${title}`, ...settings.map(paragraphs)].join("\n\n"),
  );
  return `${[INTRODUCTION, ...sections].join("\n\n")}\n`;
}

const INTRODUCTION = `# Settings

<!-- Written by \`npm run settings\` from packages/runtime/src/settings.ts. -->

The API and the workers read their settings from environment variables. A setting that both use must have the same value in both. An
empty variable counts as one that is not set. If a required setting is missing or a value is malformed, the process does not start, and its
error names every such setting.

\`npm start\` and \`npm run demo\` need no setting. For the settings of the containers, see [Docker](local.md#docker-compose).`;

function paragraphs({ name, description, values, isRequired, default: value }: SettingDescription): string {
  const facts = [
    values && upperFirst(values),
    isRequired ? "Required" : value !== undefined && `Default: \`${value}\``,
  ].filter(Boolean);
  return [`### \`${name}\``, facts.length > 0 && `_${facts.join(". ")}._`, description].filter(Boolean).join("\n\n");
}

/** Returns a table of the common settings. Each links to the page. */
export function commonTable(page: string): string {
  const rows = describeSettings()
    .flatMap(({ settings }) => settings)
    .filter(({ isCommon }) => isCommon)
    .map(({ name, description, isRequired, default: value }) => [
      `[\`${name}\`](${page}#${name.toLowerCase()})`,
      firstSentence(description),
      isRequired ? "required" : value === undefined ? "–" : `\`${value}\``,
    ]);
  return markdownTable([["setting", "meaning", "default"], ...rows]);
}

/** The first sentence, without its full stop. */
const firstSentence = (text: string) => text.split(/\.(?: |$)/, 1)[0] ?? "";

/** Returns a table in Markdown. The first row is its head. */
export function markdownTable(rows: string[][]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: string[]) => `| ${cells.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(" | ")} |\n`;
  const [head = [], ...body] = rows;
  return [head, widths.map((width) => "-".repeat(width)), ...body].map(line).join("");
}
