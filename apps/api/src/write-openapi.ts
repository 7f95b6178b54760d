import { readFileSync, writeFileSync } from "node:fs";
import stringify from "json-stringify-pretty-compact";
import { openApi } from "./app.js";

const file = new URL("../../../openapi.json", import.meta.url);
const text = `${stringify(openApi(), { maxLength: 120 })}\n`;

if (!process.argv.includes("--check")) writeFileSync(file, text);
else if (readFileSync(file, "utf8") !== text) {
  console.error("openapi.json differs from the endpoints: run `npm run openapi`.");
  process.exitCode = 1;
}
