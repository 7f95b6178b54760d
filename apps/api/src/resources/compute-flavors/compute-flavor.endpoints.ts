import { computeFlavor } from "@gantry/resources";
import { endpoint } from "../../http/endpoint.js";
import { many } from "../../http/reply/list.js";
import { listComputeFlavors } from "./compute-flavor.offers.js";

export const computeFlavorEndpoints = [
  endpoint({
    route: "GET /providers/:provider/flavors/compute",
    operation: "listProviderComputeFlavors",
    summary: "List the flavors of servers that a provider offers",
    reply: many(computeFlavor),
    handle: async ({ params, caller, db }) => {
      const { id: providerId } = await caller.find("provider", params.provider);
      return listComputeFlavors(db, { providerId });
    },
  }),

  endpoint({
    route: "GET /provider-locations/:provider_location_id/flavors/compute",
    operation: "listProviderLocationComputeFlavors",
    summary: "List the flavors of servers that a location offers",
    reply: many(computeFlavor),
    handle: async ({ params, caller, db }) => {
      const { providerId, locationId } = await caller.find("providerLocation", params.provider_location_id);
      return listComputeFlavors(db, { providerId, locationId });
    },
  }),
];
