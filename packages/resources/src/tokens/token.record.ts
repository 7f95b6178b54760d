import type { Token } from "@gantry/db";
import { z } from "zod";
import { EXAMPLE_UUID, field, uuid } from "../declarations/fields.js";
import { iso, isoOrNull, resource, timestamp } from "../declarations/record.js";
import { linkTo } from "../links.js";
import { scopeName } from "./token.scopes.js";

export const scopeNames = z.enum(["read", "write", "secrets:read", "admin"]);

export const token = resource({
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
  serialize: (row: Token, link) => ({
    id: row.id,
    name: row.name,
    scopes: row.scopes.map(scopeName),
    created_at: iso(row.createdAt),
    expires_at: isoOrNull(row.expiresAt),
    accounts: row.accountIds.map((id) => link("accounts", id)),
    cidrs: row.cidrs,
    parent: row.parentId,
    last_used_at: isoOrNull(row.lastUsedAt),
    user: link("users", row.userId),
  }),
});
