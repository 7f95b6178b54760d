import type { AuditRecord } from "@gantry/db";
import { z } from "zod";
import { linkOrNull, maskUrl, resource } from "../declarations/record.js";

export const auditRecord = resource({
  name: "audit_record",
  plural: "audit_records",
  record: z
    .object({
      id: z.uuid(),
      position: z.number().int().describe("The position in the account's chain, from 1"),
      hash: z.string().describe("The SHA-256 of the previous hash and this record, in hexadecimal"),
      created_at: z.iso.datetime({ precision: 3 }),
      account: z.url().nullable(),
      user: z.url().nullable().describe("Null if nobody was signed in"),
      token: z.uuid().nullable().describe("The id of the token"),
      ip_address: z.string().nullable().describe("The caller's IP address"),
      trace_id: z.string(),
      action: z.string().describe("The endpoint, `read secret` or `end membership`"),
      subject: z.string().nullable().describe("The affected record, such as `network/<id>`"),
      request: z.url().nullable().describe("The Request that was created"),
      changes: z.record(z.string(), z.unknown()).describe("The input, without secrets"),
      status: z.number().int().describe("The HTTP status of the response"),
      reason: z.string().nullable().describe("Why a staff member acted in another account"),
    })
    .meta({ id: "AuditRecord" }),
  serialize: (row: AuditRecord, link) => ({
    id: row.id,
    position: Number(row.position),
    hash: Buffer.from(row.hash).toString("hex"),
    created_at: row.createdAt.toISOString(),
    account: linkOrNull(link, "accounts", row.accountId),
    user: linkOrNull(link, "users", row.userId),
    token: row.tokenId,
    ip_address: row.address,
    trace_id: row.traceId,
    action: row.action,
    subject: row.subject,
    request: linkOrNull(link, "requests", row.requestId),
    changes: withMaskedUrls(row.changes) as Record<string, unknown>,
    status: row.status,
    reason: row.reason,
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
