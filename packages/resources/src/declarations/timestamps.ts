import { z } from "zod";
import { field } from "./fields.js";

/** ISO 8601 with an offset, in whole seconds. */
export const timestamp = field(z.iso.datetime({ offset: true }), "2026-11-24T09:00:00+00:00");

export function iso(date: Date): string {
  // The record of an event that is older than the column has null.
  return date && `${date.toISOString().slice(0, 19)}+00:00`;
}

export function isoOrNull(date: Date | null): string | null {
  return date && iso(date);
}

const UNITS = [
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
] as const;
const relative = new Intl.RelativeTimeFormat("en");

/** The time from a date to `at` in words, such as "3 hours ago". */
export function ago(date: Date, at = new Date()): string {
  const seconds = (at.getTime() - date.getTime()) / 1000;
  const [unit, length] = UNITS.find(([, length]) => seconds >= length) ?? [];
  return unit && length ? relative.format(-Math.floor(seconds / length), unit) : "less than a minute ago";
}

/** The fields of a record that is created and changed. */
export const timestamps = { created_at: timestamp, updated_at: timestamp };

/** The fields of a record that is created, changed and deleted. */
export const deletableTimestamps = { ...timestamps, deleted_at: field(timestamp.nullable(), null) };

/** The field of a record that a drift scan compares with AWS. */
export const disappeared = field(
  timestamp.nullable(),
  null,
  "When Gantry found that it had disappeared from AWS without a Request",
);

/** The field of a record whose removal takes several objects of AWS, and may fail between two of them. */
export const removalStarted = field(
  timestamp.nullable(),
  null,
  "When its removal began. Until `deleted_at`, some of its objects may remain, and nothing new can use it",
);
