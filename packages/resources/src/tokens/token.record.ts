import type { Token } from "@gantry/db";
import { z } from "zod";
import { EXAMPLE_UUID, field, uuid } from "../declarations/fields.js";
import { linkTo } from "../declarations/links.js";
import { wireRecord } from "../declarations/record.js";
import { timestamp } from "../declarations/timestamps.js";
import { scopeName } from "./token.scopes.js";

export const scopeNames = z.enum(["read", "write", "secrets:read", "admin"]);

export const token = wireRecord({
  name: "token",
  plural: "tokens",
  record: z
    .object({
      id: uuid,
      name: field(z.string(), "shop"),
      scopes: field(z.array(scopeNames), ["read"]),
      created_at: timestamp,
      expires_at: timestamp.nullable(),
      accounts: z
        .array(linkTo("accounts"))
        .describe("The accounts it is limited to; empty for all of its user's accounts"),
      cidrs: field(
        z.array(z.string()),
        ["203.0.113.0/24"],
        "The CIDR blocks from which it can be used; empty for any address",
      ),
      parent: field(
        uuid.nullable(),
        EXAMPLE_UUID,
        "The id of the token that created it; revoking that token revokes this one too",
      ),
      last_used_at: timestamp.nullable().describe("Updated at most once a minute"),
      user: linkTo("users"),
    })
    .meta({ id: "Token" }),
  computed: (row: Token, link) => ({
    scopes: row.scopes.map(scopeName),
    accounts: row.accountIds.map((id) => link("accounts", id)),
    parent: row.parentId,
  }),
});
