import { isObject } from "../input.js";
import { textOf } from "./answers.js";

const MOST = 10;

/** The values that differ between what a plan showed and what it shows now, each with its path. */
export function differences(before: unknown, after: unknown): string[] {
  const lines = pathsOf(before, after, []);
  return lines.length > MOST ? [...lines.slice(0, MOST), `and ${lines.length - MOST} more`] : lines;
}

function pathsOf(before: unknown, after: unknown, path: readonly string[]): string[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  if (!isObject(before) || !isObject(after)) {
    // Within an object, so that a secret is hidden by its name.
    const name = path.at(-1) ?? "value";
    return [`${path.join(".")}: ${textOf({ [name]: before })} → ${textOf({ [name]: after })}`];
  }
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap((name) => pathsOf(before[name], after[name], [...path, name]));
}
