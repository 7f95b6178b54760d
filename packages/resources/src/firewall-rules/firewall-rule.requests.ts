import { provision, type RequestTypeDefinitions, remove } from "../declarations/request-type.js";

export const firewallRuleRequestTypes = {
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
