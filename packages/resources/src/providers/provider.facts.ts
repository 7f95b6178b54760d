import type { FactsOf } from "../declarations/facts.js";

export const providerFacts = {
  references: {},
  cloudObject: null,
  sealed: ["credentials", "next_credentials"],
  events: { hidden: ["external_id"], silent: ["next_credentials", "next_role_arn"] },
} as const satisfies FactsOf<"provider">;
