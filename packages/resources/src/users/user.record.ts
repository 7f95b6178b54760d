import type { User } from "@gantry/db";
import { z } from "zod";
import { field, uuid } from "../declarations/fields.js";
import { linkBelow } from "../declarations/links.js";
import { wireRecord } from "../declarations/record.js";
import { timestamps } from "../declarations/timestamps.js";

export const user = wireRecord({
  name: "user",
  plural: "users",
  record: z
    .object({
      id: uuid,
      name: field(z.string(), "shop"),
      email: field(z.string(), "ada@example.com"),
      staff: z.boolean().describe("Can act in every account"),
      ...timestamps,
      accounts: linkBelow("users", "accounts"),
      environments: linkBelow("users", "environments"),
      keypairs: linkBelow("users", "keypairs"),
      requests: linkBelow("users", "requests"),
      tokens: linkBelow("users", "tokens"),
    })
    .meta({ id: "User" }),
  computed: (_row: User) => ({}),
});
