import type { FirewallRule } from "@gantry/db";
import { z } from "zod";
import { linkOrNull, resource } from "../declarations/record.js";
import { deletableTimestamps, deletableTimestampsOf } from "../declarations/timestamps.js";

export const firewallRule = resource({
  name: "firewall_rule",
  plural: "firewall_rules",
  deleted: "deletedAt",
  record: z
    .object({
      id: z.int(),
      ...deletableTimestamps,
      source: z.string().describe("A CIDR block, or the id of the firewall whose members are allowed"),
      port_range: z.string().describe("A port or a range of ports"),
      protocol: z.enum(["tcp", "udp"]),
      provisioned_id: z.string().nullable().describe("The security group rule's id; null until it exists"),
      application_only: z.boolean().describe("True if the rule applies only to application servers"),
      firewall: z.url(),
      source_firewall: z.url().nullable(),
    })
    .meta({ id: "FirewallRule" }),
  serialize: (row: FirewallRule, link) => ({
    id: row.id,
    ...deletableTimestampsOf(row),
    source: row.source,
    port_range: row.portRange,
    protocol: row.protocol as "tcp" | "udp",
    provisioned_id: row.provisionedId,
    application_only: row.applicationOnly,
    firewall: link("firewalls", row.firewallId),
    source_firewall: linkOrNull(link, "firewalls", row.sourceFirewallId),
  }),
});
