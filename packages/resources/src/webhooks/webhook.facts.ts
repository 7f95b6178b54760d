import type { FactsOf } from "../declarations/facts.js";

export const webhookFacts = {
  sealed: ["secret", "previous_secret"],
} as const satisfies Pick<FactsOf<"webhook">, "sealed">;
