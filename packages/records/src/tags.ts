import type { Tags } from "@gantry/requests";
import { z } from "zod";

/** The field of a record whose objects in AWS have their own tags. */
export const tagged = {
  tags: z
    .record(z.string(), z.string())
    .describe("The tags that its objects in AWS carry besides Gantry's; those of its environment are among them"),
};

// Every write checks the map; a record that an old event holds has none.
export function tagsOf({ tags }: { tags: unknown }): { tags: Tags } {
  return { tags: (tags ?? {}) as Tags };
}
