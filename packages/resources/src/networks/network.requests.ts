import { z } from "zod";
import { deprovision, provision, type RequestTypeDefinitions } from "../declarations/request-type.js";

export const networkRequestTypes = {
  provision_network: {
    ...provision,
    title: "Provision network",
    cancelledByRemoval: true,
    addsDependents: true,
    input: z.object({ skipSubnets: z.boolean() }),
    stages: ["create"],
    creates: ["vpc", "internet_gateway", "route_table", "subnet", "nat_address", "nat_gateway"],
  },
  deprovision_network: {
    ...deprovision,
    title: "Deprovision network",
    removesRecord: "network",
    stages: ["destroy"],
    removes: ["route_table", "internet_gateway", "vpc"],
  },
} as const satisfies RequestTypeDefinitions;
