import { type Membership, Role } from "@gantry/db";
import { z } from "zod";
import { uuid } from "../declarations/fields.js";
import { resource } from "../declarations/record.js";
import { timestamps, timestampsOf } from "../declarations/timestamps.js";
import { linkTo } from "../links.js";

export const membership = resource({
  name: "membership",
  plural: "memberships",
  record: z
    .object({
      id: uuid,
      role: z.enum(Role),
      ...timestamps,
      account: linkTo("accounts"),
      user: linkTo("users"),
    })
    .meta({ id: "Membership" }),
  serialize: (row: Membership, link) => ({
    id: row.id,
    role: row.role,
    ...timestampsOf(row),
    account: link("accounts", row.accountId),
    user: link("users", row.userId),
  }),
});
