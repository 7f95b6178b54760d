import { type Membership, Role } from "@gantry/db";
import { z } from "zod";
import { iso, resource, timestamp } from "../../http/resource.js";

export const membership = resource({
  name: "membership",
  plural: "memberships",
  record: z
    .object({
      id: z.uuid(),
      role: z.enum(Role),
      created_at: timestamp,
      updated_at: timestamp,
      account: z.url(),
      user: z.url(),
    })
    .meta({ id: "Membership" }),
  serialize: (row: Membership, link) => ({
    id: row.id,
    role: row.role,
    created_at: iso(row.createdAt),
    updated_at: iso(row.updatedAt),
    account: link("accounts", row.accountId),
    user: link("users", row.userId),
  }),
});
