import { readFileSync, writeFileSync } from "node:fs";
import { openApi } from "./app.js";
import { layout } from "./openapi-layout.js";

const file = new URL("../../../openapi.json", import.meta.url);
const text = layout(openApi());

if (!process.argv.includes("--check")) writeFileSync(file, text);
else if (readFileSync(file, "utf8") !== text) {
  console.error("openapi.json differs from the endpoints: run `npm run openapi`.");
  process.exitCode = 1;
}
