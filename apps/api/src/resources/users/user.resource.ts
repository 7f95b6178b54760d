import type { User } from "@gantry/db";
import { resource, timestamps, timestampsOf } from "@gantry/records";
import { z } from "zod";

export const user = resource({
  name: "user",
  plural: "users",
  record: z
    .object({
      id: z.uuid(),
      name: z.string(),
      email: z.string(),
      staff: z.boolean().describe("Acts in every account"),
      ...timestamps,
      accounts: z.url(),
      requests: z.url(),
    })
    .meta({ id: "User" }),
  serialize: (row: User, link) => ({
    id: row.id,
    name: row.name,
    email: row.email,
    staff: row.staff,
    ...timestampsOf(row),
    accounts: link("users", row.id, "accounts"),
    requests: link("users", row.id, "requests"),
  }),
});
