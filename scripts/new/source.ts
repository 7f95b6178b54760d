import { readFileSync } from "node:fs";
import { join } from "node:path";
import { camelCase, upperFirst } from "es-toolkit/string";
import Handlebars from "handlebars";

export const root = join(import.meta.dirname, "../..");

/** The whole new text of each file, by its path below the root, and what the author does next. */
export interface Plan {
  files: Record<string, string>;
  next: string[];
}

/** Reads a file by its path below the root. */
export function read(file: string): string {
  return readFileSync(join(root, file), "utf8");
}

/** Fills a template of this folder. Throws if the template names a value that is absent. */
export function render(template: string, values: object): string {
  const text = readFileSync(join(import.meta.dirname, `${template}.hbs`), "utf8");
  return Handlebars.compile(text, { strict: true, noEscape: true })(values);
}

/** Returns a file's text with `line` before the first match of `anchor`. Throws if there is no match. */
export function withLine(file: string, text: string, anchor: RegExp, line: string): string {
  const at = text.search(anchor);
  if (at < 0) throw new Error(`${file} has no line that matches ${anchor}, where the new line belongs`);
  return `${text.slice(0, at)}${line}\n${text.slice(at)}`;
}

/** Returns a file's text with an import as its first line, unless the text imports the name already. */
export function withImport(text: string, name: string, from: string): string {
  const isImported = new RegExp(`^import \\{[^}]*\\b${name}\\b[^}]*\\} from`, "m").test(text);
  return isImported ? text : `import { ${name} } from "${from}";\n${text}`;
}

/** Throws if the words of a name, joined in camelCase, are a keyword of JavaScript. */
export function requireIdentifier(name: string): void {
  const keywords = /^(class|default|delete|enum|export|function|import|new|package|private|protected|public|switch)$/;
  if (keywords.test(camelCase(name))) throw new Error(`"${name}" is a keyword of JavaScript; choose another name`);
}

/** Separates the words of a snake_case or kebab-case name by spaces, as a sentence begins: "Iam role". */
export function title(name: string): string {
  return upperFirst(name.replace(/[-_]/g, " "));
}
