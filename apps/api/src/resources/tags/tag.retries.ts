import { noFurtherRules, type RetryRules } from "../retry-rule.js";

export const tagRetries = {
  update_tags: noFurtherRules,
} satisfies RetryRules;
