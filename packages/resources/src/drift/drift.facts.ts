import type { FactsOf } from "../declarations/facts.js";

export const driftFacts = {
  deletable: false,
  references: { provider: "other" },
  cloudObject: null,
  events: null,
} as const satisfies FactsOf<"drift">;
