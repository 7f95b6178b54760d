import type { FactsOf } from "../declarations/facts.js";

export const addressFacts = {
  collection: "addresses",
  id: "integer",
  references: { provider: "parent" },
  cloudObject: { kinds: ["address"], column: "provisioned_id" },
  tagged: true,
  events: {},
} as const satisfies FactsOf<"address">;
