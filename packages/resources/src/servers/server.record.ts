import type { Server } from "@gantry/db";
import { z } from "zod";
import { ago, isoOrNull, linkOrNull, resource, timestamp } from "../declarations/record.js";
import { tagged, tagsOf } from "../declarations/tags.js";
import { timestamps, timestampsOf } from "../declarations/timestamps.js";

const device = z.object({
  device: z.string().optional(),
  size: z.int().optional(),
  delete_on_termination: z.boolean().optional(),
  volume_type: z.string().optional(),
  name: z.string().optional(),
  no_device: z.boolean().optional(),
});

const report = z.object({ message: z.string(), timestamp });

export const server = resource({
  name: "server",
  plural: "servers",
  deleted: "deletedAt",
  record: z
    .object({
      id: z.int(),
      ...timestamps,
      provisioned_at: timestamp.nullable().describe("Null until the server runs"),
      deleted_at: timestamp.nullable(),
      deprovisioned_at: timestamp.nullable(),
      disappeared_at: timestamp
        .nullable()
        .describe("When Gantry found that it had disappeared from AWS without a Request"),
      enabled: z.boolean(),
      dedicated: z.boolean(),
      no_deploy: z.boolean(),
      name: z.string().nullable(),
      release_label: z.string().nullable(),
      latest_chef_log: z.string().nullable(),
      iam_role: z.url().nullable(),
      private_hostname: z.string().nullable(),
      public_hostname: z.string().nullable(),
      ssh_port: z.int(),
      provisioned_id: z.string().nullable().describe("The instance's id; null until it exists"),
      state: z.string().describe("pending, running, stopping, stopped, error or terminated"),
      role: z.string(),
      location: z.string().describe("Zone id"),
      flavor: z.object({ id: z.string() }),
      keys_asked_at: timestamp
        .nullable()
        .describe(
          "When it last requested its SSH keys; null if it never does, in which case `apply` does not change its keys",
        ),
      keys_current: z.boolean().describe("True if it has the SSH keys of the last `apply`"),
      devices: z.array(device),
      chef_status: z
        .array(report.extend({ time_ago: z.string() }))
        .describe("The server's reports about its first boot"),
      account: z.url(),
      address: z.url().nullable(),
      environment: z.url(),
      events: z.url(),
      firewalls: z.url(),
      logs: z.url(),
      network: z.url().nullable(),
      provider: z.url(),
      server_alerts: z.url(),
      snapshots: z.url(),
      subnet: z.url().nullable(),
      volumes: z.url(),
      alerts: z.url(),
      ...tagged,
    })
    .meta({ id: "Server" }),
  serialize: (row: Server, link, _secret, at) => {
    const own = (part: string) => link("servers", row.id, part);
    return {
      id: row.id,
      ...timestampsOf(row),
      provisioned_at: isoOrNull(row.provisionedAt),
      deleted_at: isoOrNull(row.deletedAt),
      deprovisioned_at: isoOrNull(row.deprovisionedAt),
      disappeared_at: isoOrNull(row.disappearedAt),
      enabled: row.enabled,
      dedicated: row.dedicated,
      no_deploy: row.noDeploy,
      name: row.name,
      release_label: null,
      latest_chef_log: null,
      iam_role: linkOrNull(link, "iam_roles", row.iamRoleId),
      private_hostname: row.privateHostname,
      public_hostname: row.publicHostname,
      ssh_port: row.sshPort,
      provisioned_id: row.provisionedId,
      state: row.state,
      role: row.role,
      location: row.location,
      flavor: { id: row.flavor.replace(".", "_") },
      keys_asked_at: isoOrNull(row.keysAskedAt),
      keys_current: row.keysCurrent,
      devices: z.array(device).parse(row.devices),
      chef_status: z
        .array(report)
        .parse(row.chefStatus)
        .map((entry) => ({ ...entry, time_ago: ago(new Date(entry.timestamp), at) })),
      account: link("accounts", row.accountId),
      address: linkOrNull(link, "addresses", row.addressId),
      environment: link("environments", row.environmentId),
      events: own("events"),
      firewalls: own("firewalls"),
      logs: own("logs"),
      network: linkOrNull(link, "networks", row.networkId),
      provider: link("providers", row.providerId),
      server_alerts: own("server_alerts"),
      snapshots: own("snapshots"),
      subnet: linkOrNull(link, "subnets", row.subnetId),
      volumes: own("volumes"),
      alerts: own("alerts"),
      ...tagsOf(row),
    };
  },
});
