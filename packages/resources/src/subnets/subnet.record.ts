import type { Subnet } from "@gantry/db";
import { z } from "zod";
import { field, uuid } from "../declarations/fields.js";
import { linkTo } from "../declarations/links.js";
import { wireRecord } from "../declarations/record.js";
import { tagged, tagsOf } from "../declarations/tags.js";
import { removalStarted, timestamp } from "../declarations/timestamps.js";

export const subnet = wireRecord({
  name: "subnet",
  plural: "subnets",
  deleted: "deletedAt",
  record: z
    .object({
      id: uuid,
      created_at: timestamp,
      deleted_at: timestamp.nullable(),
      removal_started_at: removalStarted,
      provisioned_id: field(z.string().nullable(), "subnet-0123456789abcdef0", "The id in AWS; null until it exists"),
      cidr: field(z.string(), "10.0.0.0/16"),
      location: field(z.string(), "us-east-1", "Zone id"),
      account: linkTo("accounts"),
      network: linkTo("networks"),
      private: z
        .boolean()
        .describe("True if servers get no public address and use the NAT gateway for outbound traffic"),
      nat_gateway: field(z.string().nullable(), "nat-0123456789abcdef0", "The AWS id of the NAT gateway in the subnet"),
      primary: z.boolean().describe("True if the subnet was provisioned with its network"),
      ...tagged,
    })
    .meta({ id: "Subnet" }),
  computed: (row: Subnet) => ({
    nat_gateway: row.natGatewayId,
    ...tagsOf(row),
  }),
});
