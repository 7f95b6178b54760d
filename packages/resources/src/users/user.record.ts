import type { User } from "@gantry/db";
import { z } from "zod";
import { field, uuid } from "../declarations/fields.js";
import { resource } from "../declarations/record.js";
import { timestamps, timestampsOf } from "../declarations/timestamps.js";
import { linkTo } from "../links.js";

export const user = resource({
  name: "user",
  plural: "users",
  record: z
    .object({
      id: uuid,
      name: field(z.string(), "shop"),
      email: field(z.string(), "ada@example.com"),
      staff: z.boolean().describe("Can act in every account"),
      ...timestamps,
      accounts: linkTo("users", "accounts"),
      environments: linkTo("users", "environments"),
      keypairs: linkTo("users", "keypairs"),
      requests: linkTo("users", "requests"),
      tokens: linkTo("users", "tokens"),
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
