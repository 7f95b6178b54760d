import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { type RequestHandler, Router } from "express";
import sirv, { type Options } from "sirv";
import { HttpError } from "./http/errors/errors.js";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

const POLICY = [
  "default-src 'none'",
  ...["script-src", "style-src", "img-src", "connect-src", "manifest-src", "form-action"].map(
    (name) => `${name} 'self'`,
  ),
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

const setHeaders: NonNullable<Options["setHeaders"]> = (res, path) => {
  // The names of assets contain their hashes.
  const isAsset = path.startsWith("/assets/");
  res.setHeader("Cache-Control", isAsset ? "public, max-age=31536000, immutable" : "no-cache");
  res.setHeader("Content-Security-Policy", POLICY);
  res.setHeader("Cross-Origin-Opener-Policy", "same-origin");
  res.setHeader("Referrer-Policy", "no-referrer");
  res.setHeader("X-Content-Type-Options", "nosniff");
};

/**
 * Routes of the web console: the files of `folder` at `/console`, and a redirect there for a browser that opens `/`.
 * Its own paths are those without an extension, and answer `index.html`. Files need no token.
 */
export function webConsole(folder: string): RequestHandler {
  const files = filesOf(resolve(ROOT, folder));
  return Router()
    .get("/", (input, res, next) => {
      if (input.accepts(["json", "html"]) === "html") res.redirect("/console/");
      else next();
    })
    .use("/console", (input, res, next) => {
      if (input.method !== "GET" && input.method !== "HEAD") return next();
      const serve = files();
      if (serve) return serve(input, res, next);
      throw new HttpError(404, "not_found", ["the console is not built; run `npm run console`"]);
    });
}

/** The handler of the files that are there now: a build while the API runs replaces them. Undefined without a build. */
function filesOf(folder: string): () => RequestHandler | undefined {
  let known: { builtAt: number; serve: RequestHandler } | undefined;
  return () => {
    const builtAt = statSync(join(folder, "index.html"), { throwIfNoEntry: false })?.mtimeMs;
    if (builtAt === undefined) return undefined;
    if (known?.builtAt !== builtAt) {
      known = { builtAt, serve: sirv(folder, { etag: true, single: true, brotli: true, gzip: true, setHeaders }) };
    }
    return known.serve;
  };
}
