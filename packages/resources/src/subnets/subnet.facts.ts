import type { FactsOf } from "../declarations/facts.js";

export const subnetFacts = {
  references: { network: "parent" },
  cloudObject: { kinds: ["subnet"], column: "provisioned_id" },
  heldObject: { kinds: ["nat_gateway"], column: "nat_gateway_id" },
  removedInParts: true,
  tagged: true,
  events: {},
} as const satisfies FactsOf<"subnet">;
