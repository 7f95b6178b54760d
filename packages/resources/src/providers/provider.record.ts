import type { Provider } from "@gantry/db";
import { z } from "zod";
import { field } from "../declarations/fields.js";
import { linkBelow, linkTo } from "../declarations/links.js";
import { wireRecord } from "../declarations/record.js";
import { timestamp, timestamps } from "../declarations/timestamps.js";

export const provider = wireRecord({
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
        "123456789012",
        "The AWS account's number; until the credentials are first used, the number given by the caller or null",
      ),
      permissions_boundary: field(
        z.string().nullable(),
        "arn:aws:iam::123456789012:policy/boundary",
        "The ARN of the permissions boundary of IAM roles provisioned in the AWS account",
      ),
      shared: z.boolean(),
      type: field(z.string(), "aws"),
      database_server_snapshots: linkBelow("providers", "database_server_snapshots"),
      provider_locations: linkBelow("providers", "locations"),
      servers: linkBelow("providers", "servers"),
      storages: linkBelow("providers", "storages"),
      untracked_servers: linkBelow("providers", "untracked_servers"),
    })
    .meta({ id: "Provider" }),
  computed: (row: Provider, link) => ({
    provisioned_id: row.provisionedId ?? row.givenId,
    provider_locations: link("providers", row.id, "locations"),
  }),
});
