import { type Membership, Role } from "@gantry/db";
import { z } from "zod";
import { uuid } from "../declarations/fields.js";
import { linkTo } from "../declarations/links.js";
import { wireRecord } from "../declarations/record.js";
import { timestamps } from "../declarations/timestamps.js";

export const membership = wireRecord({
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
  computed: (_row: Membership) => ({}),
});
