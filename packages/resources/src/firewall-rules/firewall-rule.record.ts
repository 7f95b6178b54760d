import type { FirewallRule } from "@gantry/db";
import { z } from "zod";
import { field } from "../declarations/fields.js";
import { linkTo } from "../declarations/links.js";
import { wireRecord } from "../declarations/record.js";
import { deletableTimestamps } from "../declarations/timestamps.js";

export const firewallRule = wireRecord({
  name: "firewall_rule",
  plural: "firewall_rules",
  deleted: "deletedAt",
  record: z
    .object({
      id: field(z.int(), 1),
      ...deletableTimestamps,
      source: field(z.string(), "203.0.113.0/24", "A CIDR block, or the id of the firewall whose members are allowed"),
      port_range: field(z.string(), "443", "A port or a range of ports"),
      protocol: z.enum(["tcp", "udp"]),
      provisioned_id: field(
        z.string().nullable(),
        "sgr-0123456789abcdef0",
        "The security group rule's id; null until it exists",
      ),
      application_only: z.boolean().describe("True if the rule applies only to application servers"),
      account: linkTo("accounts"),
      firewall: linkTo("firewalls"),
      source_firewall: linkTo("firewalls").nullable(),
    })
    .meta({ id: "FirewallRule" }),
  computed: (row: FirewallRule) => ({
    protocol: row.protocol as "tcp" | "udp",
  }),
});
