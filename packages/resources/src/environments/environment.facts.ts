import type { FactsOf } from "../declarations/facts.js";

export const environmentFacts = {
  references: { provider: "parent", network: "parent" },
  cloudObject: null,
  tagged: true,
  sealed: ["internal_private_key"],
  events: {},
} as const satisfies FactsOf<"environment">;
