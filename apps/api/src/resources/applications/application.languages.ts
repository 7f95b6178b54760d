import { HttpError } from "../../http/errors.js";

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

/** @throws 422 where the type is unknown */
export function languageOf(type: string): string {
  const language = LANGUAGES.get(type);
  if (language !== undefined) return language;
  const message = `Unknown app type: ${type}`;
  throw new HttpError(422, "invalid", [message], { details: [{ path: "application.type", message }] });
}
