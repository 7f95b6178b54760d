import { locked, type RetryRules } from "../retry-rule.js";
import { requireUnused as requireUnusedSnapshot } from "../snapshot-use.js";

export const snapshotRetries = {
  deprovision_snapshot_request: locked("snapshot", requireUnusedSnapshot),
} satisfies RetryRules;
