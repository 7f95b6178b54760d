import { locked, type RetryRules } from "../retry-rule.js";
import * as addresses from "./address.rules.js";

export const addressRetries = {
  address_provision: async ({ caller, db, id }) => {
    const { providerId, location, deletedAt } = await caller.find("address", id);
    await addresses.requireAllowedAddress(caller, db, providerId, location, deletedAt ? 1 : 0);
  },
  attach_address: async ({ caller, db, id, input }) => addresses.findAttachment(caller, db, id, input.serverId, true),
  detach_address: async ({ caller, db, id }) => addresses.findDetachableAddress(caller, db, id),
  deprovision_address_request: locked("address", addresses.requireDetached),
} satisfies RetryRules;
