import { guides } from "./guides.js";
import { escaped, htmlDocument } from "./html.js";

/**
 * A page of the documentation.
 *
 * @param name the guide that it shows, empty for the list of operations
 */
export function page(title: string, name: string, content: string): string {
  const links = [["", "Introduction"], ["#a-first-call", "First call"], ["#operations", "Operations"], ...guides].map(
    ([path = "", text = ""]) =>
      `<li><a href="/docs${path.replace(/^\w/, "/$&")}"${path === name ? ' aria-current="page"' : ""}>${escaped(text)}</a></li>`,
  );
  const body = `<a class="skip" href="#content">Skip to content</a>
    <header>
      <p class="brand">Gantry API</p>
      <nav aria-label="Documentation"><ul>${links.join("")}<li><a href="/openapi.json">openapi.json</a></li></ul></nav>
    </header>
    <main id="content" tabindex="-1">
${content}
    </main>`;
  const script = '<script src="/docs/assets/docs.js" defer></script>';
  return htmlDocument(name ? `${title} · Gantry API` : title, body, script);
}
