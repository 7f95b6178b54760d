import express, { type RequestHandler, Router } from "express";
import absolutePath from "swagger-ui-dist/absolute-path.js";
import type { Throttle } from "./http/throttle.js";

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>Gantry API</title>
    <link rel="stylesheet" href="/docs/assets/swagger-ui.css" />
  </head>
  <body>
    <div id="docs"></div>
    <script src="/docs/assets/swagger-ui-bundle.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`;

const START = `SwaggerUIBundle({ url: "/openapi.json", dom_id: "#docs", deepLinking: true });\n`;

/** Routes of the API's description and of a page to read and try it, without assets from other hosts. */
export function docs(description: () => object, throttle: Throttle): RequestHandler {
  let text: string | undefined;
  return Router()
    .get("/openapi.json", (input, res) => {
      throttle.take("anyone", input.ip ?? "");
      text ??= JSON.stringify(description());
      res.type("json").send(text);
    })
    .get("/docs", (_input, res) => void res.type("html").send(PAGE))
    .get("/docs/start.js", (_input, res) => void res.type("js").send(START))
    .use("/docs/assets", express.static(absolutePath(), { index: false }));
}
