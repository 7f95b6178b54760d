import type { Provider } from "@gantry/db";
import { z } from "zod";
import { isoOrNull, resource, timestamp } from "../declarations/record.js";
import { timestamps, timestampsOf } from "../declarations/timestamps.js";

export const provider = resource({
  name: "provider",
  plural: "providers",
  deleted: "deletedAt",
  record: z
    .object({
      id: z.int(),
      account: z.url(),
      name: z.string().nullable(),
      cancelled_at: timestamp.nullable(),
      ...timestamps,
      provisioned_id: z
        .string()
        .nullable()
        .describe(
          "The AWS account's number; until the credentials are first used, the number given by the caller or null",
        ),
      permissions_boundary: z
        .string()
        .nullable()
        .describe("The ARN of the permissions boundary of IAM roles provisioned in the AWS account"),
      shared: z.boolean(),
      type: z.string(),
      database_server_snapshots: z.url(),
      provider_locations: z.url(),
      servers: z.url(),
      storages: z.url(),
      untracked_servers: z.url(),
    })
    .meta({ id: "Provider" }),
  serialize: (row: Provider, link) => ({
    id: row.id,
    account: link("accounts", row.accountId),
    name: row.name,
    cancelled_at: isoOrNull(row.cancelledAt),
    ...timestampsOf(row),
    provisioned_id: row.provisionedId ?? row.givenId,
    permissions_boundary: row.permissionsBoundary,
    shared: row.shared,
    type: row.type,
    database_server_snapshots: link("providers", row.id, "database_server_snapshots"),
    provider_locations: link("providers", row.id, "locations"),
    servers: link("providers", row.id, "servers"),
    storages: link("providers", row.id, "storages"),
    untracked_servers: link("providers", row.id, "untracked_servers"),
  }),
});
