import { z } from "zod";
import { resources } from "./catalogue.js";
import { EXAMPLE_UUID } from "./declarations/fields.js";

/** The address in the examples of the API description. */
const EXAMPLE_URL = "http://127.0.0.1:3000";

/** Collections outside the catalogue whose ids are integers. */
const NUMBERED = ["alerts", "applications", "keypairs"];

/** Returns the id of a record in examples, for a collection of the API such as `servers`. */
export function exampleId(collection: string): string {
  const facts = Object.values(resources).find((each) => each.collection === collection);
  return facts?.id === "integer" || NUMBERED.includes(collection) ? "1" : EXAMPLE_UUID;
}

/** Returns fields with links to what stands below a record, by their names. */
export function linksBelow<Name extends string>(collection: string, names: readonly Name[]): Record<Name, z.ZodURL> {
  return Object.fromEntries(names.map((name) => [name, linkTo(collection, name)])) as Record<Name, z.ZodURL>;
}

/**
 * The field of a record that links to one record of a collection, such as `servers`, or to what stands below it, such as
 * `servers`, `volumes`.
 */
export function linkTo(collection: string, ...below: string[]) {
  const url = [EXAMPLE_URL, collection, exampleId(collection), ...below].join("/");
  return z.url().meta({ examples: [url] });
}
