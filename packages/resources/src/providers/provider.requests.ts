import { z } from "zod";
import { deprovision, discover, provision, type RequestTypeDefinitions } from "../declarations/request-type.js";

export const providerRequestTypes = {
  provision_provider: {
    ...provision,
    title: "Provision provider",
    children: ["discover_provider_locations", "discover_provider_location"],
    stages: ["verify-credentials", "discover-locations"],
  },
  provision_shared_provider: {
    ...provision,
    title: "Provision shared provider",
    children: ["discover_provider_locations", "discover_provider_location"],
    stages: ["verify-credentials", "discover-locations"],
  },
  cancel_provider: {
    ...deprovision,
    title: "Cancel provider",
    removesRecord: "provider",
    stages: ["cancel"],
    keepsResource: true,
  },
  check_provider: {
    ...discover,
    title: "Check provider",
    input: z.object({ regions: z.array(z.string()).min(1) }),
    stages: ["identity", "permissions", "dry-runs", "quotas", "defaults", "reports"],
  },
  discover_provider_locations: {
    ...discover,
    title: "Discover provider locations",
    children: ["discover_provider_location"],
    stages: ["discover_locations"],
  },
} as const satisfies RequestTypeDefinitions;
