import type { FactsOf } from "../declarations/facts.js";

export const webhookFacts = {
  id: "uuid",
  sealed: ["secret", "previous_secret"],
} as const satisfies Pick<FactsOf<"webhook">, "id" | "sealed">;
