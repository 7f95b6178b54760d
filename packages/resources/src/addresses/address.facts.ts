import type { FactsOf } from "../declarations/facts.js";

export const addressFacts = {
  references: { provider: "parent" },
  cloudObject: { kinds: ["address"], column: "provisioned_id" },
  tagged: true,
  events: {},
} as const satisfies FactsOf<"address">;
