import { z } from "zod";
import { deprovision, provision, type RequestTypeDefinitions, remove } from "../declarations/request-type.js";

/** Request types of networks, subnets and firewalls. */
export const networkRequestTypes = {
  provision_network: {
    ...provision,
    title: "Provision network",
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
  provision_subnet: {
    ...provision,
    title: "Provision subnet",
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
  provision_default_firewall: {
    ...provision,
    title: "Provision default firewall",
    stages: ["create"],
    creates: ["key_pair", "security_group", "security_group_rule"],
  },
  provision_firewall_rule: {
    ...provision,
    title: "Provision firewall rule",
    stages: ["create"],
    creates: ["security_group_rule"],
  },
  deprovision_firewall_rule: {
    ...remove,
    title: "Deprovision firewall rule",
    removesRecord: "firewall_rule",
    stages: ["cleanup"],
    removes: ["security_group_rule"],
  },
} as const satisfies RequestTypeDefinitions;
