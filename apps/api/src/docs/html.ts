const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** A text as it stands in HTML. */
export function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character);
}

/** A sentence as HTML, with its parts between backticks as code. */
export function sentence(text: string): string {
  return escaped(text).replace(/`([^`]+)`/g, "<code>$1</code>");
}

/** A block of code, with a button that copies it where the page's script runs. */
export function codeBlock(text: string, label: string): string {
  return `<div class="code"><button type="button" class="copy" hidden>Copy</button><pre tabindex="0" aria-label="${escaped(label)}"><code>${escaped(text)}</code></pre></div>`;
}
