import type { FactsOf } from "../declarations/facts.js";

export const providerLocationFacts = {
  deletable: false,
  references: { provider: "other", parent: "other" },
  cloudObject: null,
  events: null,
} as const satisfies FactsOf<"provider_location">;
