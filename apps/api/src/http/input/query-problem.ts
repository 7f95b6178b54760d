import type { z } from "zod";

const MAX_SHOWN = 60;

/** Returns what is wrong with a value of a query, in words for a text, and the value. */
export function queryProblem(issue: z.core.$ZodIssue, value: unknown): string {
  if (typeof value !== "string") return "must be a value or a list of values, such as a=1 or a[]=1&a[]=2";
  const shown = value.length > MAX_SHOWN ? `${value.slice(0, MAX_SHOWN)}…` : value;
  // Only the values of a filter are a list.
  const isEmptyFilter = value === "" && issue.path.length > 1;
  const hint = isEmptyFilter ? `; for records without a value, send the name without "="` : "";
  return `${wanted(issue)}; found ${JSON.stringify(shown)}${hint}`;
}

function wanted(issue: z.core.$ZodIssue): string {
  if (issue.code === "invalid_type" && ["number", "int"].includes(issue.expected)) return "must be a whole number";
  if (issue.code === "invalid_value") return `must be one of ${issue.values.join(", ")}`;
  if (issue.code === "invalid_format" && issue.format === "datetime")
    return "must be a time with an offset, such as 2026-11-24T09:00:00+00:00";
  if (issue.code === "invalid_format" && issue.format === "uuid") return "must be a UUID";
  return issue.message;
}
