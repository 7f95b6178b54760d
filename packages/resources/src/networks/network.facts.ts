import type { FactsOf } from "../declarations/facts.js";

export const networkFacts = {
  references: { provider: "parent" },
  cloudObject: { kinds: ["vpc"], column: "provisioned_id" },
  removedInParts: true,
  tagged: true,
  nameTag: "name",
  events: {},
} as const satisfies FactsOf<"network">;
