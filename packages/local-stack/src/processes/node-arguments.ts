import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";

/**
 * Returns the arguments with which Node runs a file after `preloads`: a TypeScript file through tsx, with the packages'
 * sources.
 */
export function fileArguments(file: string, preloads: string[] = []): string[] {
  const imports = (modules: string[]) => modules.flatMap((module) => ["--import", module]);
  if (!file.endsWith(".ts")) return [...imports(preloads), file];
  const tsx = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;
  return ["--conditions=gantry-source", ...imports([tsx, ...preloads]), file];
}

/**
 * Returns the arguments with which Node runs a module of this package: its TypeScript source when this file is source itself,
 * else the compiled module. `name` is relative to `src`, without extension.
 */
export function moduleArguments(name: string): string[] {
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  return fileArguments(fileURLToPath(new URL(`../${name}.${extension}`, import.meta.url)));
}
