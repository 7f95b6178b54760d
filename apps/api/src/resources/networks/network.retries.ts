import { assertNoDependents } from "../dependents.js";
import { findUsableProvider } from "../providers/provider.rules.js";
import { locked, type RetryRules } from "../retry-rule.js";

export const networkRetries = {
  provision_network: async ({ caller, id }) => {
    const { providerId, location } = await caller.find("network", id);
    await findUsableProvider(caller, providerId, location, "network.location");
  },
  deprovision_network: locked("network", (db, { id }) => assertNoDependents(db, "network", id)),
} satisfies RetryRules;
