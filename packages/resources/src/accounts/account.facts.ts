import type { FactsOf } from "../declarations/facts.js";

export const accountFacts = {
  collection: "accounts",
  id: "uuid",
  deletable: false,
  references: {},
  cloudObject: null,
  events: null,
} as const satisfies FactsOf<"account">;
