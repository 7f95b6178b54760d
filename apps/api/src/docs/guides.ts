import { readFileSync } from "node:fs";
import { Marked, type Tokens } from "marked";
import { codeBlock, escaped } from "./html.js";

/** The pages of the repository's `docs/` that callers of the API read, with their titles. */
export const guides: ReadonlyMap<string, string> = new Map([
  ["requests", "Requests"],
  ["errors", "Errors"],
  ["events", "Events"],
  ["webhooks", "Webhooks"],
  ["signing-in", "Signing in"],
  ["aws-permissions", "Permissions in AWS"],
]);

/** The page of `docs/` that is shown on the first page, above the operations. */
export const INTRODUCTION = "introduction";

const FOLDER = new URL("../../../../docs/", import.meta.url);

const markdown = new Marked({
  renderer: {
    code: ({ text, lang }: Tokens.Code) => codeBlock(text, lang === "sh" ? "Command" : "Example"),
    heading({ tokens, depth, text }: Tokens.Heading) {
      return `<h${depth} id="${slug(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
    },
    table(token: Tokens.Table) {
      const table = this.constructor.prototype.table.call(this, token) as string;
      return `<div class="table" tabindex="0" role="region" aria-label="Table">${table}</div>\n`;
    },
    link({ href, tokens }: Tokens.Link) {
      const text = this.parser.parseInline(tokens);
      const target = targetOf(href);
      return target === undefined ? text : `<a href="${escaped(target)}">${text}</a>`;
    },
  },
});

/** Returns a page of `docs/` as HTML. */
export function renderGuide(name: string): string {
  return markdown.parse(readFileSync(new URL(`${name}.md`, FOLDER), "utf8"), { async: false });
}

/** The address of a link; undefined if it leads to a page of the repository that the API does not serve. */
function targetOf(href: string): string | undefined {
  if (/^(https:|#)/.test(href)) return href;
  const [, name = "", fragment = ""] = /^([\w-]+)\.md(#.*)?$/.exec(href) ?? [];
  if (name === INTRODUCTION) return `/docs${fragment}`;
  return guides.has(name) ? `/docs/${name}${fragment}` : undefined;
}

function slug(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\w\s-]/g, "")
    .trim()
    .replace(/\s+/g, "-");
}
