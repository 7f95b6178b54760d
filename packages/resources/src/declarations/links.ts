import { z } from "zod";

/** An absolute URL under the base address, of path segments and an optional query. */
export type Link = (...segments: (string | number)[]) => string;

/** Where the field of a record leads to: a record of a collection, or what is below the record itself. */
interface Destination {
  collection: string;
  below: string[];
}

/** The schema of a link to the record whose id the row has. */
export type RecordLink = z.ZodURL & { readonly leadsTo: "record" };

/** The schema of a link to what is below the record itself. */
export type ListLink = z.ZodURL & { readonly leadsTo: "list" };

const destinations = z.registry<Destination>();

/** Returns the schema of a link, with an example. */
export function linkSchema(destination: Destination, example: string): z.ZodURL {
  return z
    .url()
    .meta({ examples: [example] })
    .register(destinations, destination);
}

/** Returns where a field leads to; undefined if it is not a link. */
export function linkOf(schema: z.ZodType): Destination | undefined {
  const inner = schema instanceof z.ZodNullable ? (schema.unwrap() as z.ZodType) : schema;
  return destinations.get(inner) ?? destinations.get(schema);
}

/** Builds links under `base`, which has no slash at its end. */
export function linkUnder(base: string): Link {
  return (...segments) => `${base}/${segments.join("/")}`;
}

/** Returns a link to a record, or null if there is no id. */
export function linkOrNull(link: Link, collection: string, id: string | number | null): string | null {
  return id === null ? null : link(collection, id);
}
