import { type Membership, Role } from "@gantry/db";
import { z } from "zod";
import { resource } from "../declarations/record.js";
import { timestamps, timestampsOf } from "../declarations/timestamps.js";

export const membership = resource({
  name: "membership",
  plural: "memberships",
  record: z
    .object({
      id: z.uuid(),
      role: z.enum(Role),
      ...timestamps,
      account: z.url(),
      user: z.url(),
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
