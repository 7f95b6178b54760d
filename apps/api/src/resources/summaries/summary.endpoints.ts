import { Prisma, type Tx } from "@gantry/db";
import { field, linkTo } from "@gantry/resources";
import { z } from "zod";
import { endpoint } from "../../http/endpoint.js";
import { json } from "../../http/reply/reply.js";
import { costOf, costSchema } from "./summary.costs.js";
import { COUNTED_UP_TO, countOf } from "./summary.counts.js";

const count = z
  .object({
    count: field(z.int(), 3),
    is_more: z.boolean().describe(`True if Gantry stopped counting at ${COUNTED_UP_TO.toLocaleString("en")}`),
  })
  .meta({ id: "Count" });

const counts = z.record(z.string(), count).meta({ id: "Counts", description: "By state, severity or type" });

const use = z.object({ used: field(z.int(), 9), limit: field(z.int().nullable(), 20) }).meta({ id: "LimitUse" });

const regionUse = z.object({
  provider: linkTo("providers"),
  region: field(z.string(), "us-east-1"),
  servers: use,
  addresses: use,
});

const summary = z
  .object({
    open_requests: counts,
    failed_requests_in_24_hours: count,
    leaked_resources: count,
    drift: counts,
    alerts: counts,
    disabled: counts,
    records: counts,
    limits: z.array(regionUse),
    monthly_cost: costSchema,
  })
  .meta({ id: "AccountSummary" });

export const summaryEndpoints = [
  endpoint({
    route: "GET /accounts/:account/summary",
    operation: "getAccountSummary",
    summary: "Show what needs attention in an account, and what it runs, has and costs",
    reply: json(z.object({ summary })),
    handle: async ({ params, caller, db, link }) => {
      const { id } = await caller.find("account", params.account);
      const [counted, regions, cost] = await Promise.all([countOf(db, id), limitsOf(db, id), costOf(db, id)]);
      const limits = regions.map(({ providerId, region, servers, serverLimit, addresses, addressLimit }) => ({
        provider: link("providers", providerId),
        region,
        servers: { used: servers, limit: serverLimit },
        addresses: { used: addresses, limit: addressLimit },
      }));
      return { summary: { ...counted, limits, monthly_cost: cost } };
    },
  }),
];

interface RegionLimits {
  providerId: number;
  region: string;
  servers: number;
  serverLimit: number | null;
  addresses: number;
  addressLimit: number | null;
}

function limitsOf(db: Tx, accountId: string): Promise<RegionLimits[]> {
  const used = (from: Prisma.Sql) =>
    Prisma.sql`(SELECT count(*)::int AS used FROM (SELECT ${from} AND deleted_at IS NULL LIMIT ${COUNTED_UP_TO}) AS counted)`;
  return db.$queryRaw<RegionLimits[]>`
    SELECT listed.provider_id AS "providerId", listed.location_id AS region, server.used AS servers,
      listed.server_limit AS "serverLimit", address.used AS addresses, listed.address_limit AS "addressLimit"
    FROM (SELECT * FROM provider_locations WHERE account_id = ${accountId}::uuid
        ORDER BY created_at DESC, id DESC LIMIT ${COUNTED_UP_TO}) AS listed
      JOIN providers ON providers.id = listed.provider_id AND providers.deleted_at IS NULL
      CROSS JOIN LATERAL ${used(Prisma.sql`FROM servers WHERE provider_id = listed.provider_id AND region = listed.location_id`)} AS server
      CROSS JOIN LATERAL ${used(Prisma.sql`FROM addresses WHERE provider_id = listed.provider_id AND location = listed.location_id`)} AS address
    WHERE listed.parent_id IS NULL AND (server.used > 0 OR address.used > 0)
    ORDER BY listed.provider_id, listed.location_id`;
}
