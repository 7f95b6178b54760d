import { z } from "zod";
import { change, provision, type RequestTypeDefinitions, remove } from "../declarations/request-type.js";

export const firewallRuleRequestTypes = {
  provision_firewall_rule: {
    ...provision,
    title: "Provision firewall rule",
    stages: ["create"],
    creates: ["security_group_rule"],
  },
  modify_firewall_rule: {
    ...change,
    title: "Modify firewall rule",
    uses: { sourceFirewallId: "firewall" },
    // What changes; a new source has both of its columns.
    input: z.object({
      source: z.string().exactOptional(),
      sourceFirewallId: z.int().nullable().exactOptional(),
      portRange: z.string().exactOptional(),
      protocol: z.enum(["tcp", "udp"]).exactOptional(),
    }),
    stages: ["modify"],
  },
  deprovision_firewall_rule: {
    ...remove,
    title: "Deprovision firewall rule",
    removesRecord: "firewall_rule",
    stages: ["cleanup"],
    removes: ["security_group_rule"],
  },
} as const satisfies RequestTypeDefinitions;
