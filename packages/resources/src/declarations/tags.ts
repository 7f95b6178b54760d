import { z } from "zod";

/** Tags by key. */
export type Tags = Record<string, string>;

/** The field of a record whose objects in AWS carry own tags. */
export const tagged = {
  tags: z
    .record(z.string(), z.string())
    .describe("The tags that its objects in AWS carry besides Gantry's; those of its environment are among them"),
};

// Every write checks the map; a record that an old event holds has none.
export function tagsOf({ tags }: { tags: unknown }): { tags: Tags } {
  return { tags: (tags ?? {}) as Tags };
}
