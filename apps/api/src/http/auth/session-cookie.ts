import { createHmac, type KeyObject, timingSafeEqual } from "node:crypto";
import type { Env } from "@gantry/runtime";
import { parseCookie, stringifySetCookie } from "cookie";
import type { Request as Input } from "express";
import { forbidden, HttpError } from "../errors/errors.js";

/** The header with the value that `GET /session` shows, in each change that the cookie authenticates. */
export const CSRF_HEADER = "Gantry-CSRF";

/** The header with which a call that the cookie authenticates asks for secrets, by the value `show`. */
export const SECRETS_HEADER = "Gantry-Secrets";

/** What a browser says of its connection. */
type Connection = Pick<Input, "secure" | "hostname" | "get">;

/** Hosts that never leave the browser's machine. */
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

const LOOPBACK_ADDRESS = /^(?:::ffff:)?127\.|^::1$/;

/** True if the browser runs on this machine and reaches the API without a proxy's host name. */
export function isLocal({ hostname, ip }: Pick<Input, "hostname" | "ip">): boolean {
  return LOOPBACK.test(hostname ?? "") && LOOPBACK_ADDRESS.test(ip ?? "");
}

/** The cookie that holds the token of a console session. */
export class SessionCookie {
  private constructor(private readonly name: string) {}

  /** The cookie of a connection; undefined if it would cross a network without encryption. */
  static of(connection: Connection, { BASE_URL }: Pick<Env, "BASE_URL">): SessionCookie | undefined {
    const isEncrypted = connection.secure || BASE_URL?.startsWith("https:");
    if (isEncrypted) return new SessionCookie("__Host-gantry");
    return LOOPBACK.test(connection.hostname ?? "") ? new SessionCookie("gantry") : undefined;
  }

  /** The token in an input. */
  tokenIn(input: Connection): string | undefined {
    const header = input.get("cookie");
    return header === undefined ? undefined : parseCookie(header)[this.name] || undefined;
  }

  /** The header `Set-Cookie` that starts a session. */
  start(token: string, expiresAt: Date): string {
    return this.set(token, Math.max(0, Math.floor((expiresAt.getTime() - Date.now()) / 1000)));
  }

  /** The header `Set-Cookie` that ends it. */
  end(): string {
    return this.set("", 0);
  }

  private set(value: string, maxAge: number): string {
    const { name } = this;
    const secure = name.startsWith("__Host-");
    return stringifySetCookie({ name, value, maxAge, httpOnly: true, sameSite: "strict", path: "/", secure });
  }
}

/** @throws 403 if the connection has no cookie */
export function requireCookie(cookie: SessionCookie | undefined): SessionCookie {
  if (cookie) return cookie;
  throw forbidden(
    "the console signs in only over HTTPS or on a loopback address; behind a proxy with TLS, set BASE_URL to its https URL",
  );
}

/** The value that a page of this site sends with changes; pages of other sites cannot read it. */
export function csrfToken(key: KeyObject, tokenId: string): string {
  return createHmac("sha256", key).update(tokenId).digest("base64url");
}

/** @throws 403 if a page of another site may have sent a change that the cookie authenticates */
export function requireOwnPage(input: Connection, key: KeyObject, tokenId: string): void {
  const site = input.get("sec-fetch-site");
  const given = Buffer.from(input.get(CSRF_HEADER) ?? "");
  const expected = Buffer.from(csrfToken(key, tokenId));
  const isOwn = given.length === expected.length && timingSafeEqual(given, expected);
  if (isOwn && (site === undefined || site === "same-origin")) return;
  const sentence = `a change with the console's cookie needs the header ${CSRF_HEADER} with the value from GET /session, from a page of this site`;
  throw new HttpError(403, "csrf", [sentence]);
}
