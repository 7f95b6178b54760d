const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** A text escaped for HTML. */
export function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character);
}

/** A sentence as HTML, with its parts between backticks as code. */
export function sentence(text: string): string {
  return escaped(text).replace(/`([^`]+)`/g, "<code>$1</code>");
}

/** A block of code, with a button that copies it if the page's script runs. */
export function codeBlock(text: string, label: string): string {
  return `<div class="code"><button type="button" class="copy" hidden>Copy</button><pre tabindex="0" aria-label="${escaped(label)}"><code>${escaped(text)}</code></pre></div>`;
}

/** A whole document in the style of the documentation. */
export function htmlDocument(title: string, body: string, head = ""): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>${escaped(title)}</title>
    <link rel="icon" href="data:," />
    <link rel="stylesheet" href="/docs/assets/docs.css" />
    ${head}
  </head>
  <body>
    ${body}
  </body>
</html>
`;
}
