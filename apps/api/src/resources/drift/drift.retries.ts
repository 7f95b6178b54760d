import { requireUsable } from "../providers/provider.rules.js";
import { noFurtherRules, type RetryRules } from "../retry-rule.js";

export const driftRetries = {
  scan_drift: noFurtherRules,
  remove_leaked_resources: null,
  // The finding may no longer exist.
  remove_orphan: async ({ db, input: { providerId } }) =>
    requireUsable(await db.provider.findUniqueOrThrow({ where: { id: providerId } })),
} satisfies RetryRules;
