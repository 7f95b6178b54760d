import type { Token } from "@gantry/db";
import { z } from "zod";
import { iso, isoOrNull, resource, timestamp } from "../declarations/record.js";
import { scopeName } from "./token.scopes.js";

export const scopeNames = z.enum(["read", "write", "secrets:read", "admin"]);

export const token = resource({
  name: "token",
  plural: "tokens",
  record: z
    .object({
      id: z.uuid(),
      name: z.string(),
      scopes: z.array(scopeNames),
      created_at: timestamp,
      expires_at: timestamp.nullable(),
      accounts: z.array(z.url()).describe("The accounts it is limited to; empty for all of its user's accounts"),
      cidrs: z.array(z.string()).describe("The CIDR blocks from which it can be used; empty for any address"),
      parent: z
        .uuid()
        .nullable()
        .describe("The id of the token that created it; revoking that token revokes this one too"),
      last_used_at: timestamp.nullable().describe("Updated at most once a minute"),
      user: z.url(),
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
