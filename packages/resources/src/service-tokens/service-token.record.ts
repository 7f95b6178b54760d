import { Role, type Token } from "@gantry/db";
import { z } from "zod";
import { wireRecord } from "../declarations/record.js";
import { token } from "../tokens/token.record.js";

export const serviceToken = wireRecord({
  name: token.name,
  plural: token.plural,
  record: token.record
    .extend({
      role: z.enum(Role).describe("Its role in the account; never more than the role of the user who created it"),
    })
    .meta({ id: "ServiceToken" }),
  computed: (row: Token & { role: Role }, link) => ({ ...token.serialize(row, link), role: row.role }),
});
