import type { ErrorRequestHandler, Request as Input } from "express";
import { escaped, htmlDocument } from "../docs/html.js";
import { asHttpError } from "../http/errors/errors.js";

/** Answers an error of the pages at `/queues` with a page that says what to do. Calls that want JSON get the API's error. */
export const queueErrorPage: ErrorRequestHandler = (error, input, res, next) => {
  const problem = asHttpError(error);
  if (!problem || !wantsPage(input)) return next(error);
  const { status, sentences, extras } = problem;
  const isNew = status === 401 && !input.headers.authorization;
  const text = isNew ? "Only staff can see the queues. Sign in with your token." : sentences.join(". ");
  res.set(extras.headers ?? {}).status(status);
  res.type("html").send(status === 401 || status === 403 ? signInPage(text) : page(`<p>${escaped(text)}</p>`));
};

/** The page with the form to sign in. */
export function signInPage(text: string): string {
  return page(`<p role="status">${escaped(text)}</p>
      <form method="post" action="/queues/sign-in">
        <p><label for="token">API token</label></p>
        <p><input id="token" name="token" type="password" autocomplete="off" required /> <button>Sign in</button></p>
      </form>
      <p>Get a token with <a href="/docs">POST /tokens</a>, or at <a href="/sign-in?scopes=read">the company's issuer</a>.
        With the scope <code>read</code> you can look; with <code>read</code> and <code>admin</code> you can also pause a
        queue, and promote and remove jobs. This browser keeps the token for an hour, or until you
        <a href="/queues/sign-out">sign out</a>.</p>
      <p>If you have signed in already and followed a link from another site, <a href="/queues">open the queues</a>.</p>`);
}

// A browser prefers HTML for a page, and accepts any type for the files that a page loads.
function wantsPage(input: Input): boolean {
  return input.accepts(["json", "html"]) === "html";
}

function page(content: string): string {
  const body = `<header><p class="brand">Gantry queues</p></header>
    <main id="content">
      ${content}
    </main>`;
  return htmlDocument("Gantry queues", body);
}
