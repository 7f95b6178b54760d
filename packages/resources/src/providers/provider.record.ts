import type { Provider } from "@gantry/db";
import { z } from "zod";
import { field } from "../declarations/fields.js";
import { isoOrNull, resource, timestamp } from "../declarations/record.js";
import { timestamps, timestampsOf } from "../declarations/timestamps.js";
import { linkTo } from "../links.js";

export const provider = resource({
  name: "provider",
  plural: "providers",
  deleted: "deletedAt",
  record: z
    .object({
      id: field(z.int(), 1),
      account: linkTo("accounts"),
      name: field(z.string().nullable(), "shop"),
      cancelled_at: timestamp.nullable(),
      ...timestamps,
      provisioned_id: field(
        z.string().nullable(),
        "vpc-0123456789abcdef0",
        "The AWS account's number; until the credentials are first used, the number given by the caller or null",
      ),
      permissions_boundary: field(
        z.string().nullable(),
        "arn:aws:iam::123456789012:policy/boundary",
        "The ARN of the permissions boundary of IAM roles provisioned in the AWS account",
      ),
      shared: z.boolean(),
      type: field(z.string(), "aws"),
      database_server_snapshots: linkTo("providers", "database_server_snapshots"),
      provider_locations: linkTo("providers", "locations"),
      servers: linkTo("providers", "servers"),
      storages: linkTo("providers", "storages"),
      untracked_servers: linkTo("providers", "untracked_servers"),
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
