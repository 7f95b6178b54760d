import type { Server } from "@gantry/db";
import { z } from "zod";
import { field } from "../declarations/fields.js";
import { linkBelow, linkTo } from "../declarations/links.js";
import { wireRecord } from "../declarations/record.js";
import { tagged, tagsOf } from "../declarations/tags.js";
import { ago, disappeared, timestamp, timestamps } from "../declarations/timestamps.js";

const device = z.object({
  device: field(z.string().optional(), "/dev/sdf"),
  size: field(z.int().optional(), 25),
  delete_on_termination: z.boolean().optional(),
  volume_type: field(z.string().optional(), "gp3"),
  name: field(z.string().optional(), "shop"),
  no_device: z.boolean().optional(),
});

const report = z.object({ message: field(z.string(), "the instance is running"), timestamp });

export const server = wireRecord({
  name: "server",
  plural: "servers",
  deleted: "deletedAt",
  record: z
    .object({
      id: field(z.int(), 1),
      ...timestamps,
      provisioned_at: timestamp.nullable().describe("Null until the server runs"),
      deleted_at: field(timestamp.nullable(), null),
      deprovisioned_at: field(timestamp.nullable(), null),
      disappeared_at: disappeared,
      enabled: z.boolean(),
      dedicated: z.boolean(),
      no_deploy: z.boolean(),
      name: field(z.string().nullable(), "app-1"),
      release_label: field(z.string().nullable(), "stable"),
      latest_chef_log: field(z.string().nullable(), null),
      iam_role: linkTo("iam_roles").nullable(),
      private_hostname: field(z.string().nullable(), "ip-10-0-1-5.ec2.internal"),
      public_hostname: field(z.string().nullable(), "ec2-203-0-113-10.compute-1.amazonaws.com"),
      ssh_port: field(z.int(), 22),
      provisioned_id: field(z.string().nullable(), "i-0123456789abcdef0", "The instance's id; null until it exists"),
      state: field(z.string(), "running", "pending, running, stopping, stopped, error or terminated"),
      role: field(z.string(), "app_master"),
      location: field(z.string(), "us-east-1a", "Zone id"),
      flavor: z.object({ id: field(z.string(), "t3_medium") }),
      pending: field(
        z.object({ flavor: z.object({ id: z.string() }) }).nullable(),
        null,
        "What it gets when Gantry next stops or starts it; null if nothing",
      ),
      keys_asked_at: timestamp
        .nullable()
        .describe(
          "When it last requested its SSH keys; null if it never does, in which case `apply` does not change its keys",
        ),
      keys_current: z.boolean().describe("True if it has the SSH keys of the last `apply`"),
      devices: field(z.array(device), [{ device: "/dev/sdf", size: 25, volume_type: "gp3" }]),
      chef_status: z
        .array(report.extend({ time_ago: field(z.string(), "2 minutes ago") }))
        .describe("The server's reports about its first boot"),
      account: linkTo("accounts"),
      address: linkTo("addresses").nullable(),
      environment: linkTo("environments"),
      events: linkBelow("servers", "events"),
      firewalls: linkBelow("servers", "firewalls"),
      logs: linkBelow("servers", "logs"),
      network: linkTo("networks").nullable(),
      provider: linkTo("providers"),
      server_alerts: linkBelow("servers", "server_alerts"),
      snapshots: linkBelow("servers", "snapshots"),
      subnet: linkTo("subnets").nullable(),
      volumes: linkBelow("servers", "volumes"),
      alerts: linkBelow("servers", "alerts"),
      ...tagged,
    })
    .meta({ id: "Server" }),
  computed: (row: Server, _link, _secret, at) => ({
    release_label: null,
    latest_chef_log: null,
    flavor: { id: flavorId(row.flavor) },
    pending: row.pendingFlavor === null ? null : { flavor: { id: flavorId(row.pendingFlavor) } },
    devices: z.array(device).parse(row.devices),
    chef_status: z
      .array(report)
      .parse(row.chefStatus)
      .map((entry) => ({ ...entry, time_ago: ago(new Date(entry.timestamp), at) })),
    ...tagsOf(row),
  }),
});

function flavorId(name: string): string {
  return name.replace(".", "_");
}
