import { z } from "zod";
import { deprovision, discover, provision, type RequestTypeDefinitions } from "../declarations/request-type.js";

export const providerRequestTypes = {
  provision_provider: {
    ...provision,
    title: "Provision provider",
    children: ["discover_provider_locations"],
    stages: ["verify-credentials", "discover-locations"],
  },
  provision_shared_provider: {
    ...provision,
    title: "Provision shared provider",
    children: ["discover_provider_locations"],
    stages: ["verify-credentials", "discover-locations"],
  },
  cancel_provider: {
    ...deprovision,
    title: "Cancel provider",
    removesRecord: "provider",
    stages: ["cancel"],
    keepsResource: true,
  },
  replace_provider_credentials: {
    ...provision,
    title: "Replace provider credentials",
    input: z.object({ settleSeconds: z.number() }),
    stages: ["verify-credentials", "replace-credentials", "end-old-sessions"],
    insteadOfRetry: "send the new credentials again",
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
    // One that a new provider causes waits for times in which nothing else is to do.
    deadlineMinutes: 24 * 60,
    stages: ["discover_locations"],
  },
} as const satisfies RequestTypeDefinitions;
