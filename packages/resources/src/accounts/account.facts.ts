import type { FactsOf } from "../declarations/facts.js";

export const accountFacts = {
  deletable: false,
  references: {},
  cloudObject: null,
  events: null,
} as const satisfies FactsOf<"account">;
