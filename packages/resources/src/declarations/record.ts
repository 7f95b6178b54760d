import type { Table } from "@gantry/db";
import { z } from "zod";
import { field } from "./fields.js";

/** An absolute URL under the base address, of path segments and an optional query. */
export type Link = (...segments: (string | number)[]) => string;

/** The wire record of a kind of rows, with its serializer. */
export interface WireRecord<Row, Shape extends z.ZodRawShape = z.ZodRawShape> {
  /** The name that wraps a single record. */
  name: string;
  /** The name that wraps a list. */
  plural: string;
  /** The field of the row whose presence hides it from lists. */
  deleted?: keyof Row & string;
  /** The field of a sealed secret, which only a single record shows, to callers with the scope `secrets:read` and a role that allows changes. */
  secret?: { field: keyof Row & string; table: Table };
  record: z.ZodObject<Shape>;
  /** The fields as administrators of the row's account see them, if `serialize` hides a part. */
  forAdmins?(row: Row): Partial<z.input<z.ZodObject<Shape>>>;
  /**
   * @param secret the opened secret, or null if the caller may not read it or there is none
   * @param at the time to which words such as "3 hours ago" refer; now if absent
   */
  serialize(row: Row, link: Link, secret?: string | null, at?: Date): z.input<z.ZodObject<Shape>>;
}

/** Declares a resource: one zod record for types and OpenAPI, and its serializer. */
export function resource<Row, Shape extends z.ZodRawShape>(definition: WireRecord<Row, Shape>): WireRecord<Row, Shape> {
  return definition;
}

/** Builds links under `base`, which has no slash at its end. */
export function linkUnder(base: string): Link {
  return (...segments) => `${base}/${segments.join("/")}`;
}

/** Hides the path and the query of a URL, which often hold tokens. Returns `…` for what is not a URL. */
export function maskUrl(text: string): string {
  if (!URL.canParse(text)) return "…";
  const { origin, pathname, search, hash } = new URL(text);
  return pathname + search + hash === "/" ? text : `${origin}/***`;
}

/** Hides the paths and the queries of the URLs in a sentence. */
export function maskUrlsIn(sentence: string): string {
  return sentence.replace(/https?:\/\/\S+?(?=[.:,]?(\s|$))/gi, maskUrl);
}

export function linkOrNull(link: Link, collection: string, id: string | number | null): string | null {
  return id === null ? null : link(collection, id);
}

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
