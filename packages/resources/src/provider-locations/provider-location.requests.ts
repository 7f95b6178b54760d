import { discover, type RequestTypeDefinitions } from "../declarations/request-type.js";

export const providerLocationRequestTypes = {
  discover_provider_location: {
    ...discover,
    title: "Discover provider location",
    stages: ["persist"],
  },
} as const satisfies RequestTypeDefinitions;
