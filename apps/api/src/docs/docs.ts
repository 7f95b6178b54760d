import { fileURLToPath } from "node:url";
import express, { type RequestHandler, Router } from "express";
import type { Throttle } from "../http/limits/throttle.js";
import type { Description } from "./description.js";
import { guides, INTRODUCTION, renderGuide } from "./guides.js";
import { page } from "./layout.js";
import { reference } from "./reference.js";

const ASSETS = fileURLToPath(new URL("../../assets/", import.meta.url));

/** Routes of the API's description and of pages to read it, without assets from other hosts. */
export function docs(description: () => object, throttle: Throttle): RequestHandler {
  const described = once(() => JSON.stringify(description()));
  const rendered = new Map(
    ["", ...guides.keys()].map((name) => [name, once(() => render(name, description() as Description))]),
  );
  return Router()
    .get("/openapi.json", (input, res) => {
      throttle.take("anyone", input.ip ?? "");
      res.type("json").send(described());
    })
    .use("/docs/assets", express.static(ASSETS, { index: false }))
    .get(["/docs", "/docs/:guide"], (input, res, next) => {
      const html = rendered.get((input.params as { guide?: string }).guide ?? "");
      return html ? void res.type("html").send(html()) : next();
    });
}

function render(name: string, description: Description): string {
  const title = guides.get(name);
  if (title !== undefined) return page(title, name, renderGuide(name));
  return page("Gantry API", "", `${renderGuide(INTRODUCTION)}\n${reference(description)}`);
}

function once(make: () => string): () => string {
  let page: string | undefined;
  return () => {
    page ??= make();
    return page;
  };
}
