import { z } from "zod";
import { change, type RequestTypeDefinitions } from "./definition.js";

/** The request type for changes of a resource's own tags, for every resource that has some. */
export const tagRequestTypes = {
  update_tags: {
    ...change,
    title: "Update tags",
    // The record and its parts; each with the keys that it had and no longer has.
    input: z.object({
      records: z.array(z.object({ type: z.string(), id: z.string(), removed: z.array(z.string()) })),
    }),
    stages: ["tag"],
  },
} as const satisfies RequestTypeDefinitions;
