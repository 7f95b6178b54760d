import { z } from "zod";
import { deprovision, discover, provision, type RequestTypeDefinitions } from "../declarations/request-type.js";

/** Request types of providers and their locations. */
export const providerRequestTypes = {
  provision_provider: {
    ...provision,
    title: "Provision provider",
    opens: ["discover_provider_locations", "discover_provider_location"],
    stages: ["verify-credentials", "discover-locations"],
  },
  provision_shared_provider: {
    ...provision,
    title: "Provision shared provider",
    opens: ["discover_provider_locations", "discover_provider_location"],
    stages: ["verify-credentials", "discover-locations"],
  },
  cancel_provider: {
    ...deprovision,
    title: "Cancel provider",
    removesRecord: "provider",
    stages: ["cancel"],
    keepsResource: true,
  },
  discover_provider_locations: {
    ...discover,
    title: "Discover provider locations",
    opens: ["discover_provider_location"],
    stages: ["discover_locations"],
  },
  discover_provider_location: {
    ...discover,
    title: "Discover provider location",
    stages: ["persist"],
  },
  check_provider: {
    ...discover,
    title: "Check provider",
    input: z.object({ regions: z.array(z.string()).min(1) }),
    stages: ["identity", "permissions", "dry-runs", "quotas", "defaults", "reports"],
  },
} as const satisfies RequestTypeDefinitions;
