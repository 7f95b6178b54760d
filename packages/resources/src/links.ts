import { resources } from "./catalogue.js";
import { EXAMPLE_UUID } from "./declarations/fields.js";
import { type ListLink, linkSchema, type RecordLink } from "./declarations/links.js";

/** The address in the examples of the API description. */
const EXAMPLE_URL = "http://127.0.0.1:3000";

/** Collections outside the catalogue whose ids are integers. */
const NUMBERED = ["alerts", "applications", "keypairs"];

/** Returns the id of a record in examples, for a collection of the API such as `servers`. */
export function exampleId(collection: string): string {
  const facts = Object.values(resources).find((each) => each.collection === collection);
  return facts?.id === "integer" || NUMBERED.includes(collection) ? "1" : EXAMPLE_UUID;
}

/** The field of a record that links to the record whose id the row has, in a collection such as `servers`. */
export function linkTo(collection: string): RecordLink {
  return linkSchema({ collection, below: [] }, exampleUrl(collection)) as RecordLink;
}

/** The field of a record of a collection that links to what is below it, such as `servers`, `volumes`. */
export function linkBelow(collection: string, ...below: string[]): ListLink {
  return linkSchema({ collection, below }, [exampleUrl(collection), ...below].join("/")) as ListLink;
}

/** Fields that link to what is below a record, by their names. */
export function linksBelow<Name extends string>(collection: string, names: readonly Name[]): Record<Name, ListLink> {
  return Object.fromEntries(names.map((name) => [name, linkBelow(collection, name)])) as Record<Name, ListLink>;
}

function exampleUrl(collection: string): string {
  return `${EXAMPLE_URL}/${collection}/${exampleId(collection)}`;
}
