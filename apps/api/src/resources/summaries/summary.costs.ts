import { Prisma, type Tx } from "@gantry/db";
import { field } from "@gantry/resources";
import { z } from "zod";
import { estimate } from "../../http/plans/estimate.js";
import type { PlannedResource } from "../../http/plans/planned-resource.js";
import { COUNTED_UP_TO } from "./summary.counts.js";

export const costSchema = z
  .object({
    monthly_usd: field(z.number(), 1204.5),
    is_complete: z.boolean().describe("False if something has no price"),
    without_price: field(z.array(z.string()), ["1 × x9.large in eu-west-1"]),
  })
  .meta({ id: "MonthlyCost", description: "An estimate by list prices, without traffic and snapshots" });

/** Estimates by AWS's list prices what an account's records cost a month, as plans do for what they create. */
export async function costOf(db: Tx, accountId: string): Promise<z.infer<typeof costSchema>> {
  const rows = await db.$queryRaw<Standing[]>(standingStatement(accountId));
  const regions = [...Map.groupBy(rows, ({ region }) => region)].map(([region, standing]) => {
    const resources = standing.map(({ kind, count, facts }) => ({ kind, count, region, ...facts }));
    return { region, costs: estimate(resources, region).estimate };
  });
  const withoutPrice = regions.flatMap(({ region, costs }) => {
    if (!costs) return [`everything in ${region}`];
    return costs.lines.filter((line) => line.monthly_usd === null).map(({ what }) => `${what} in ${region}`);
  });
  const total = regions.reduce((sum, { costs }) => sum + (costs?.monthly_usd ?? 0), 0);
  return {
    monthly_usd: Math.round(total * 100) / 100,
    is_complete: withoutPrice.length === 0 && rows.every(({ read }) => read <= COUNTED_UP_TO),
    without_price: withoutPrice.sort(),
  };
}

/** Equal objects of a region that cost something. */
interface Standing extends Pick<PlannedResource, "kind" | "region" | "count"> {
  /** What decides their price, as a plan has it. */
  facts: Omit<PlannedResource, "kind" | "region" | "count">;
  /** The rows that were read for their kind. */
  read: number;
}

function standingStatement(accountId: string): Prisma.Sql {
  const part = (kind: Standing["kind"], region: Prisma.Sql, facts: Prisma.Sql, from: Prisma.Sql) =>
    Prisma.sql`(SELECT ${kind}::text AS kind, region, facts, count(*)::int AS count, (sum(count(*)) OVER ())::int AS read
      FROM (SELECT ${region} AS region, jsonb_strip_nulls(jsonb_build_object(${facts})) AS facts FROM ${from}
        AND account_id = ${accountId}::uuid AND deleted_at IS NULL AND provisioned_id IS NOT NULL
        ORDER BY created_at DESC, id DESC LIMIT ${Prisma.raw(String(COUNTED_UP_TO + 1))}) AS newest
      GROUP BY region, facts)`;
  const ofNetwork = Prisma.sql`(SELECT location FROM networks WHERE networks.id = network_id)`;
  const gateways = Prisma.sql`subnets WHERE nat_gateway_id IS NOT NULL`;
  const none = Prisma.empty;
  const parts = [
    part(
      "server",
      Prisma.sql`region`,
      // An attached elastic address is a record of its own.
      Prisma.sql`'flavor', flavor, 'dedicated', dedicated,
        'public_address', address_id IS NULL AND public_hostname IS NOT NULL`,
      Prisma.sql`servers WHERE state NOT IN ('stopped', 'terminated')`,
    ),
    part("volume", Prisma.sql`region`, diskFacts("volume_type"), Prisma.sql`volumes WHERE state <> 'deleted'`),
    part("address", Prisma.sql`location`, none, Prisma.sql`addresses WHERE TRUE`),
    part("nat_gateway", ofNetwork, none, gateways),
    // That of a NAT gateway is no record.
    part("address", ofNetwork, none, gateways),
    part(
      "database_server",
      Prisma.sql`region`,
      Prisma.sql`'flavor', flavor, 'engine', engine, 'multi_az', multi_az, ${diskFacts("storage_type", "storage_gb")}`,
      Prisma.sql`database_servers WHERE state <> 'deleted'`,
    ),
  ];
  return Prisma.join(parts, " UNION ALL ");
}

function diskFacts(type: string, size = "size_gb"): Prisma.Sql {
  const disk = `'name', 'data', 'type', ${type}, 'size_gb', ${size}, 'iops', iops`;
  return Prisma.raw(`'volumes', jsonb_build_array(jsonb_build_object(${disk}))`);
}
