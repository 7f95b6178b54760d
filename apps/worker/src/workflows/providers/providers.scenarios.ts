import type { ScenarioContext, Scenarios } from "@gantry/test/support/scenario";
import { open } from "@gantry/test/support/work";

const onProvider =
  (type: "provision_provider" | "discover_provider_locations" | "cancel_provider") =>
  ({ db, customer }: ScenarioContext) =>
    open(db, customer, type, { type: "provider", id: customer.provider.id }, {});

export const providerScenarios = {
  provision_provider: { open: onProvider("provision_provider"), afterSuccess: {}, afterFailure: {}, calls: 1 },
  discover_provider_locations: { open: onProvider("discover_provider_locations"), afterSuccess: {}, calls: 1 },
  discover_provider_location: {
    open: async ({ db, customer }) => {
      const where = { providerId: customer.provider.id, parentId: null };
      const { id } = await db.providerLocation.findFirstOrThrow({ where });
      return open(db, customer, "discover_provider_location", { type: "provider_location", id }, {});
    },
    afterSuccess: {},
  },
  cancel_provider: { open: onProvider("cancel_provider"), afterSuccess: {} },
} satisfies Scenarios;
