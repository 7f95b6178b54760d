import { z } from "zod";

/** A flavor that a body names, by its `api_name` or its `id`: AWS's names hold no underscore, and ids no dot. */
export const flavorName = z
  .string()
  .transform((text) => text.replaceAll("_", "."))
  .meta({ examples: ["t3.medium"], description: "The `api_name` or the `id` of a flavor" });
