import { type Invitation, Role } from "@gantry/db";
import { z } from "zod";
import { field, uuid } from "../declarations/fields.js";
import { iso, resource, timestamp } from "../declarations/record.js";
import { linkTo } from "../links.js";

export const invitation = resource({
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
  serialize: (row: Invitation, link) => ({
    id: row.id,
    email: row.email,
    role: row.role,
    created_at: iso(row.createdAt),
    expires_at: iso(row.expiresAt),
    account: link("accounts", row.accountId),
    user: link("users", row.userId),
  }),
});
