import { Role, type Token } from "@gantry/db";
import { z } from "zod";
import { linkTo } from "../declarations/links.js";
import { wireRecord } from "../declarations/record.js";
import { token } from "./token.record.js";

/** The token with which a call is made; `account` and `role` are those of a service. */
export const currentToken = wireRecord({
  name: token.name,
  plural: token.plural,
  record: token.record
    .extend({
      account: linkTo("accounts").nullable().describe("The account of a service token; null for a person's token"),
      role: z.enum(Role).nullable().describe("A service token's role in its account; null for a person's token"),
    })
    .meta({ id: "CurrentToken" }),
  computed: (row: Token & { accountId: string | null; role: Role | null }, link) => token.serialize(row, link),
});
