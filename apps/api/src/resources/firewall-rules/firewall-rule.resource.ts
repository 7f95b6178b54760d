import type { FirewallRule } from "@gantry/db";
import { z } from "zod";
import { iso, isoOrNull, linkOrNull, resource, timestamp } from "../../http/resource.js";

export const firewallRule = resource({
  name: "firewall_rule",
  plural: "firewall_rules",
  deleted: "deletedAt",
  record: z
    .object({
      id: z.int(),
      created_at: timestamp,
      updated_at: timestamp,
      deleted_at: timestamp.nullable(),
      source: z.string().describe("A CIDR, or the id of the firewall whose members are let in"),
      port_range: z.string().describe("A port, or a range from-to"),
      protocol: z.enum(["tcp", "udp"]),
      provisioned_id: z.string().nullable().describe("The security group rule's id; null until it was made"),
      firewall: z.url(),
      source_firewall: z.url().nullable(),
    })
    .meta({ id: "FirewallRule" }),
  serialize: (row: FirewallRule, link) => ({
    id: row.id,
    created_at: iso(row.createdAt),
    updated_at: iso(row.updatedAt),
    deleted_at: isoOrNull(row.deletedAt),
    source: row.source,
    port_range: row.portRange,
    protocol: row.protocol as "tcp" | "udp",
    provisioned_id: row.provisionedId,
    firewall: link("firewalls", row.firewallId),
    source_firewall: linkOrNull(link, "firewalls", row.sourceFirewallId),
  }),
});
