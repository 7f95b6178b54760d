import { Role, type Token } from "@gantry/db";
import { z } from "zod";
import { field } from "../declarations/fields.js";
import { wireRecord } from "../declarations/record.js";
import { token } from "../tokens/token.record.js";

/** The identities that a service token trusts. */
const trustRecord = z
  .object({
    issuer: field(z.string(), "https://token.actions.githubusercontent.com"),
    subject: field(z.string(), "repo:acme/shop:ref:refs/heads/*"),
    audience: field(z.string(), "https://gantry.example.com"),
  })
  .meta({ id: "Trust" });

export const serviceToken = wireRecord({
  name: token.name,
  plural: token.plural,
  record: token.record
    .extend({
      role: z.enum(Role).describe("Its role in the account; never more than the role of the user who created it"),
      trusts: trustRecord
        .nullable()
        .describe(
          "The identities that exchange their tokens for short ones of this service; null if it has its own text",
        ),
    })
    .meta({ id: "ServiceToken" }),
  computed: (row: Token & { role: Role }, link) => ({
    ...token.serialize(row, link),
    role: row.role,
    trusts: trustsOf(row),
  }),
});

function trustsOf({ trustedIssuer, trustedSubject, trustedAudience }: Token): z.input<typeof trustRecord> | null {
  if (trustedIssuer === null || trustedSubject === null || trustedAudience === null) return null;
  return { issuer: trustedIssuer, subject: trustedSubject, audience: trustedAudience };
}
