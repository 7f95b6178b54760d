import type { Env } from "@gantry/runtime";
import { parseCookie } from "cookie";
import type { RequestHandler, Response } from "express";
import { forbidden } from "../http/errors/errors.js";

export const SIGN_OUT_PATH = "/queues/sign-out";

const COOKIE = "gantry-queues";
const MAX_AGE_MS = 60 * 60_000;

/** The session of a browser at `/queues`: a cookie that holds the token, for an hour, and that no script can read. */
export class Session {
  private readonly options;

  constructor({ BASE_URL }: Pick<Env, "BASE_URL">) {
    const secure = BASE_URL?.startsWith("https:") ?? false;
    this.options = { path: "/queues", httpOnly: true, sameSite: "strict", secure } as const;
  }

  start(res: Response, token: string): void {
    res.cookie(COOKIE, token, { ...this.options, maxAge: MAX_AGE_MS });
  }

  end(res: Response): void {
    res.clearCookie(COOKIE, this.options);
  }

  /** Lets an input with the session's cookie, and without a token in a header, act with the session's token. */
  readonly use: RequestHandler = (input, _res, next) => {
    const token = parseCookie(input.get("cookie") ?? "")[COOKIE];
    if (token) input.headers.authorization ??= `Bearer ${token}`;
    next();
  };
}

/**
 * Refuses a change that a page of another site sends. Browsers send the origin of an input, and pages cannot change it.
 */
export const requireSameOrigin: RequestHandler = (input, _res, next) => {
  const site = input.get("sec-fetch-site");
  const origin = input.get("origin");
  const isSame = site === undefined ? origin !== undefined && hostOf(origin) === input.host : site === "same-origin";
  if (!isSame) throw forbidden("only a page of this site can change the queues");
  next();
};

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}
