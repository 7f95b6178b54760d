import { unknownType } from "../../http/errors/errors.js";

const LANGUAGES: ReadonlyMap<string, string> = new Map([
  ["java", "java"],
  ["nodejs", "nodejs"],
  ["php", "php"],
  ["rack", "ruby"],
  ["rails2", "ruby"],
  ["rails3", "ruby"],
  ["rails4", "ruby"],
  ["sinatra", "ruby"],
  ["merb", "ruby"],
]);

/** @throws 422 if the type is unknown */
export function languageOf(type: string): string {
  const language = LANGUAGES.get(type);
  if (language !== undefined) return language;
  throw unknownType("app", type, "application.type", [...LANGUAGES.keys()]);
}
