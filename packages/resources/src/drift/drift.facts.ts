import type { FactsOf } from "../declarations/facts.js";

export const driftFacts = {
  collection: "drift",
  id: "uuid",
  deletable: false,
  references: { provider: "other" },
  cloudObject: null,
  events: null,
} as const satisfies FactsOf<"drift">;
