import type { User } from "@gantry/db";
import { z } from "zod";
import { iso, resource, timestamp } from "../../http/resource.js";

export const user = resource({
  name: "user",
  plural: "users",
  record: z
    .object({
      id: z.uuid(),
      name: z.string(),
      email: z.string(),
      staff: z.boolean().describe("Acts in every account"),
      created_at: timestamp,
      updated_at: timestamp,
      accounts: z.url(),
      requests: z.url(),
    })
    .meta({ id: "User" }),
  serialize: (row: User, link) => ({
    id: row.id,
    name: row.name,
    email: row.email,
    staff: row.staff,
    created_at: iso(row.createdAt),
    updated_at: iso(row.updatedAt),
    accounts: link("users", row.id, "accounts"),
    requests: link("users", row.id, "requests"),
  }),
});
