import { z } from "zod";
import { exampleId } from "./collections.js";

/** The address in the examples of the API description. */
const EXAMPLE_URL = "http://127.0.0.1:3000";

/** An absolute URL under the base address, of path segments and an optional query. */
export type Link = (...segments: (string | number)[]) => string;

/** Where the field of a record leads to: a record of a collection, or what is below the record itself. */
interface Destination {
  collection: string;
  below: string[];
}

/** The schema of a link to the record whose id the row has. */
export type RecordLink = z.ZodURL & { readonly leadsTo: "record" };

/** Schema of a link to a record's sub-collection. */
export type ListLink = z.ZodURL & { readonly leadsTo: "list" };

const destinations = z.registry<Destination>();

/** The field of a record that links to the record whose id the row has, in a collection such as `servers`. */
export function linkTo(collection: string): RecordLink {
  return linkSchema({ collection, below: [] }) as RecordLink;
}

/** The field of a record of a collection that links to what is below it, such as `servers`, `volumes`. */
export function linkBelow(collection: string, ...below: string[]): ListLink {
  return linkSchema({ collection, below }) as ListLink;
}

/** Fields that link to what is below a record, by their names. */
export function linksBelow<Name extends string>(collection: string, names: readonly Name[]): Record<Name, ListLink> {
  return Object.fromEntries(names.map((name) => [name, linkBelow(collection, name)])) as Record<Name, ListLink>;
}

function linkSchema(destination: Destination): z.ZodURL {
  const { collection, below } = destination;
  const example = [EXAMPLE_URL, collection, exampleId(collection), ...below].join("/");
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
