import type { FactsOf } from "../declarations/facts.js";

export const snapshotFacts = {
  references: { provider: "parent", server: "other", volume: "other" },
  cloudObject: { kinds: ["snapshot"], column: "provisioned_id" },
  tagged: true,
  events: {},
} as const satisfies FactsOf<"snapshot">;
