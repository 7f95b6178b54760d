import type { AuditRecord } from "@gantry/db";
import { z } from "zod";
import { field, uuid } from "../declarations/fields.js";
import { linkTo } from "../declarations/links.js";
import { wireRecord } from "../declarations/record.js";
import { maskUrl } from "../declarations/urls.js";

export const auditRecord = wireRecord({
  name: "audit_record",
  plural: "audit_records",
  record: z
    .object({
      id: uuid,
      position: field(z.number().int(), 17, "The position in the account's chain, from 1"),
      hash: field(
        z.string(),
        "9f86d081884c7d659a2feaa0c55ad015",
        "The SHA-256 of the previous hash and this record, in hexadecimal",
      ),
      created_at: z.iso.datetime({ precision: 3 }),
      account: linkTo("accounts").nullable(),
      user: linkTo("users").nullable().describe("Null if nobody was signed in"),
      token: uuid.nullable().describe("The id of the token"),
      ip_address: field(z.string().nullable(), "203.0.113.10", "The caller's IP address"),
      trace_id: field(z.string(), "4bf92f3577b34da6a3ce929d0e0e4736"),
      action: field(z.string(), "apply", "The endpoint, `read secret` or `end membership`"),
      subject: field(z.string().nullable(), "server/3", "The affected record, such as `network/<id>`"),
      request: linkTo("requests").nullable().describe("The Request that was created"),
      changes: z.record(z.string(), z.unknown()).describe("The input, without secrets"),
      status: field(z.number().int(), 200, "The HTTP status of the response"),
      reason: field(z.string().nullable(), "the role can be assumed", "Why a staff member acted in another account"),
    })
    .meta({ id: "AuditRecord" }),
  computed: (row: AuditRecord) => ({
    position: Number(row.position),
    hash: Buffer.from(row.hash).toString("hex"),
    created_at: row.createdAt.toISOString(),
    token: row.tokenId,
    ip_address: row.address,
    changes: withMaskedUrls(row.changes) as Record<string, unknown>,
  }),
});

/** Records of older versions hold the whole URLs of webhooks, and their hashes keep them so. */
function withMaskedUrls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withMaskedUrls);
  if (typeof value !== "object" || value === null) return value;
  const masked = (name: string, inner: unknown) =>
    name === "url" && typeof inner === "string" ? maskUrl(inner) : withMaskedUrls(inner);
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, masked(name, inner)]));
}
