import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";

/**
 * Returns the arguments with which Node runs a module of this package: the TypeScript source through tsx when this file is
 * source itself, else the compiled module. `name` is relative to `src`, without extension.
 */
export function nodeArguments(name: string): string[] {
  const source = import.meta.url.endsWith(".ts");
  const entry = fileURLToPath(new URL(`../${name}${source ? ".ts" : ".js"}`, import.meta.url));
  if (!source) return [entry];
  const tsx = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;
  return ["--conditions=source", "--import", tsx, entry];
}
