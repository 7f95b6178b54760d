import { z } from "zod";
import { field } from "./fields.js";

/** Tags by key. */
export type Tags = Record<string, string>;

/** The field of a record whose objects in AWS have their own tags. */
export const tagged = {
  tags: field(
    z.record(z.string(), z.string()),
    { team: "shop" },
    "The tags of its objects in AWS besides Gantry's own, including those inherited from its environment",
  ),
};

// Every write checks the map; a record that an old event holds has none.
export function tagsOf({ tags }: { tags: unknown }): { tags: Tags } {
  return { tags: (tags ?? {}) as Tags };
}
