import { type Invitation, Role } from "@gantry/db";
import { z } from "zod";
import { field, uuid } from "../declarations/fields.js";
import { linkTo } from "../declarations/links.js";
import { wireRecord } from "../declarations/record.js";
import { timestamp } from "../declarations/timestamps.js";

export const invitation = wireRecord({
  name: "invitation",
  plural: "invitations",
  deleted: "deletedAt",
  record: z
    .object({
      id: uuid,
      email: field(z.string(), "ada@example.com"),
      role: z.enum(Role),
      created_at: timestamp,
      expires_at: timestamp,
      account: linkTo("accounts"),
      user: linkTo("users").describe("The user who sent the invitation"),
    })
    .meta({ id: "Invitation" }),
  computed: (_row: Invitation) => ({}),
});
