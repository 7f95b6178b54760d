import type { FactsOf } from "../declarations/facts.js";

export const providerFacts = {
  collection: "providers",
  id: "integer",
  references: {},
  cloudObject: null,
  sealed: ["credentials"],
  events: { hidden: ["external_id"] },
} as const satisfies FactsOf<"provider">;
