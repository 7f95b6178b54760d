import { conflict } from "../../http/errors/errors.js";
import { assertNoDependents } from "../dependents.js";
import { noFurtherRules, type RetryRules } from "../retry-rule.js";
import { findUsableProvider, requireUsable } from "./provider.rules.js";
import { requireSharedAllowed } from "./shared-provider.rules.js";

export const providerRetries = {
  provision_provider: noFurtherRules,
  provision_shared_provider: async ({ env }) => requireSharedAllowed(env),
  cancel_provider: async ({ caller, db, id }) => {
    const { cancelledAt } = await caller.find("provider", id, "update");
    if (cancelledAt) throw conflict(`provider ${id} was already cancelled`);
    await assertNoDependents(db, "provider", id);
  },
  discover_provider_locations: async ({ caller, id }) => requireUsable(await caller.find("provider", id)),
  discover_provider_location: async ({ caller, id }) => {
    const { providerId } = await caller.find("providerLocation", id);
    requireUsable(await caller.find("provider", providerId));
  },
  replace_provider_credentials: null,
  check_provider: async ({ caller, id, input }) => {
    for (const region of input.regions) await findUsableProvider(caller, Number(id), region, "region");
  },
} satisfies RetryRules;
