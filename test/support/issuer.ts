import { Provider } from "oidc-provider";
import { CookieJar } from "tough-cookie";
import { openPort } from "./port.js";

/** What the issuer says of one of its users. */
export interface IssuerUser {
  email?: string;
  email_verified?: boolean;
  name?: string;
  groups?: string[];
}

export const CLIENT = { id: "gantry", secret: "a secret of the client" };

/**
 * An issuer of OpenID Connect on this machine, whose users sign in with their names.
 *
 * @param redirectUri the only URL to which it sends people back
 */
export async function startIssuer(redirectUri: string) {
  const users = new Map<string, IssuerUser>();
  const port = await openPort();
  const provider = new Provider(port.url, {
    clients: [{ client_id: CLIENT.id, client_secret: CLIENT.secret, redirect_uris: [redirectUri] }],
    claims: { email: ["email", "email_verified"], profile: ["name"], groups: ["groups"] },
    cookies: { keys: ["for tests only"] },
    pkce: { required: () => true },
    findAccount: (_context, sub) => {
      const user = users.get(sub);
      return user && { accountId: sub, claims: () => ({ sub, ...user }) };
    },
  });
  const callback = provider.callback();
  const issuer = { url: port.url, users, isAway: false, close: port.close };
  port.serve((input, output) => void (issuer.isAway ? output.writeHead(503).end() : callback(input, output)));
  return issuer;
}

/** A page as a browser shows it. */
export interface Page {
  url: string;
  status: number;
  text: string;
}

/** A browser: it keeps cookies, follows redirections and sends forms. */
export class Browser {
  readonly cookies = new CookieJar();

  /** @param end the beginning of URLs to which it follows no redirection */
  constructor(private readonly end?: string) {}

  /** Gets a page, or sends a form. */
  async open(url: string, form?: Record<string, string>): Promise<Page> {
    const headers = { cookie: await this.cookies.getCookieString(url) };
    const body = form && new URLSearchParams(form);
    const method = form ? "POST" : "GET";
    const answer = await fetch(url, { method, headers, redirect: "manual", ...(body && { body }) });
    for (const cookie of answer.headers.getSetCookie()) await this.cookies.setCookie(cookie, url);
    const text = await answer.text();
    const next = answer.headers.get("location");
    if (!next) return { url, status: answer.status, text };
    const target = new URL(next, url).href;
    const isEnd = this.end !== undefined && target.startsWith(this.end);
    return isEnd ? { url: target, status: answer.status, text } : this.open(target);
  }

  /** Signs in at the issuer's page as the user with the name, and agrees. */
  async signIn(page: Page, login: string): Promise<Page> {
    const agreed = await this.open(page.url, { prompt: "login", login, password: "any" });
    return this.open(agreed.url, { prompt: "consent" });
  }
}
