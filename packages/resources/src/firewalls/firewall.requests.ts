import { provision, type RequestTypeDefinitions } from "../declarations/request-type.js";

export const firewallRequestTypes = {
  provision_default_firewall: {
    ...provision,
    title: "Provision default firewall",
    stages: ["create"],
    creates: ["key_pair", "security_group", "security_group_rule"],
  },
} as const satisfies RequestTypeDefinitions;
