import { z } from "zod";
import { change, type RequestTypeDefinitions } from "../declarations/request-type.js";

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
