import { deprovision, provision, type RequestTypeDefinitions } from "../declarations/request-type.js";

export const subnetRequestTypes = {
  provision_subnet: {
    ...provision,
    title: "Provision subnet",
    cancelledByRemoval: true,
    stages: ["create"],
    creates: ["subnet"],
  },
  deprovision_subnet: {
    ...deprovision,
    title: "Deprovision subnet",
    removesRecord: "subnet",
    stages: ["destroy"],
    removes: ["nat_gateway", "nat_address", "subnet"],
  },
} as const satisfies RequestTypeDefinitions;
