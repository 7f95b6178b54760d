import type { User } from "@gantry/db";
import { z } from "zod";
import { resource } from "../declarations/record.js";
import { timestamps, timestampsOf } from "../declarations/timestamps.js";

export const user = resource({
  name: "user",
  plural: "users",
  record: z
    .object({
      id: z.uuid(),
      name: z.string(),
      email: z.string(),
      staff: z.boolean().describe("Can act in every account"),
      ...timestamps,
      accounts: z.url(),
      environments: z.url(),
      keypairs: z.url(),
      requests: z.url(),
      tokens: z.url(),
    })
    .meta({ id: "User" }),
  serialize: (row: User, link) => ({
    id: row.id,
    name: row.name,
    email: row.email,
    staff: row.staff,
    ...timestampsOf(row),
    accounts: link("users", row.id, "accounts"),
    environments: link("users", row.id, "environments"),
    keypairs: link("users", row.id, "keypairs"),
    requests: link("users", row.id, "requests"),
    tokens: link("users", row.id, "tokens"),
  }),
});
