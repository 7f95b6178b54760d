import { auditRecordsOf, INSTALLATION_CHAIN, linkChain, Prisma, type Tx } from "@gantry/db";
import { auditRecord } from "@gantry/resources";
import { z } from "zod";
import { endpoint } from "../../http/endpoint.js";
import { instant } from "../../http/input/input.js";
import { equals, type Filter, indexed, indexedByValue, integer, references, text } from "../../http/lists/filters.js";
import { many } from "../../http/reply/list.js";
import { ndjson } from "../../http/reply/reply.js";
import { type Selection, where } from "../../http/rows/rows.js";

const created = (comparison: ">=" | "<"): Filter =>
  indexed({
    value: instant,
    condition: (times) => Prisma.sql`created_at ${Prisma.raw(comparison)} ${times?.[0] ?? null}::timestamptz`,
  });

const IN_CHAIN = { within: "chain" };

const filters = {
  trace_id: indexedByValue(text, IN_CHAIN),
  request: indexedByValue(references("request"), IN_CHAIN),
  subject: indexedByValue(text, IN_CHAIN),
  token: indexedByValue(equals(z.uuid(), "token_id"), IN_CHAIN),
  ip_address: indexedByValue(equals(z.string(), "address"), IN_CHAIN),
  user: indexedByValue(equals(z.uuid(), "user_id"), IN_CHAIN),
  action: indexedByValue(text, IN_CHAIN),
  status: indexedByValue(integer(), IN_CHAIN),
  since: created(">="),
  until: created("<"),
};

const list = many(auditRecord, { filters });

const behind = {
  after: z.coerce
    .number()
    .int()
    .min(0)
    .default(0)
    .describe("The position of the last record that was read: the export continues after it"),
};

const FOR_STAFF = "only staff can read the installation's audit";

export const auditEndpoints = [
  endpoint({
    route: "GET /accounts/:account/audit",
    operation: "listAccountAudit",
    summary: "List an account's audit records, newest first",
    access: "admin",
    reply: list,
    handle: async ({ params, caller, db }) => {
      const { id: accountId } = await caller.find("account", params.account);
      return linked(db, accountId);
    },
  }),

  endpoint({
    route: "GET /accounts/:account/audit/export",
    operation: "exportAccountAudit",
    summary: "Export an account's audit records in the order of their chain, as one JSON object per line",
    access: "admin",
    query: behind,
    reply: ndjson(auditRecord),
    handle: async ({ params, query, caller, db }) =>
      exported(db, (await caller.find("account", params.account)).id, query.after),
  }),

  endpoint({
    route: "GET /audit",
    operation: "listAudit",
    summary: "List the audit records that belong to no single account, such as sign-ins; staff only",
    access: "admin",
    staffOnly: FOR_STAFF,
    reply: list,
    handle: ({ db }) => linked(db, INSTALLATION_CHAIN),
  }),

  endpoint({
    route: "GET /audit/export",
    operation: "exportAudit",
    summary: "Export the audit records that belong to no single account, as one JSON object per line; staff only",
    access: "admin",
    staffOnly: FOR_STAFF,
    query: behind,
    reply: ndjson(auditRecord),
    handle: ({ query, db }) => exported(db, INSTALLATION_CHAIN, query.after),
  }),
];

/** The number of steps before a list. In a longer backlog the newest records appear once workers have linked it. */
const STEPS_OF_A_LIST = 2;

async function linked(db: Tx, chain: string): Promise<Selection<"auditRecord">> {
  await linkChain(db, chain, STEPS_OF_A_LIST);
  return where("auditRecord", { chain });
}

async function exported(db: Tx, chain: string, after: number) {
  await linkChain(db, chain);
  return auditRecordsOf(db, chain, BigInt(after));
}
