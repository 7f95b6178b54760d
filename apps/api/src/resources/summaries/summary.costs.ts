import { Prisma, type Tx } from "@gantry/db";
import { field } from "@gantry/resources";
import { z } from "zod";
import { estimate } from "../../http/plans/estimate.js";
import type { PlannedResource } from "../../http/plans/planned-resource.js";
import { COUNTED_UP_TO } from "./summary.counts.js";

export const costSchema = z
  .object({
    monthly_usd: field(z.number(), 1204.5),
    currency: z.literal("USD"),
    is_complete: z.boolean().describe("False if something has no price, or there is too much to add up"),
    without_price: field(z.array(z.string()), ["1 × x9.large in eu-west-1"]),
    prices_as_of: field(z.string().nullable(), "2026-11-01", "The date of the oldest price"),
  })
  .meta({ id: "MonthlyCost" });

/** Estimates by AWS's list prices what an account's records cost a month, as plans do for what they create. */
export async function costOf(db: Tx, accountId: string): Promise<z.infer<typeof costSchema>> {
  const rows = await db.$queryRaw<Standing[]>(standingStatement(accountId));
  const read = rows.reduce((most, row) => Math.max(most, row.read), 0);
  const regions = [...Map.groupBy(rows, ({ region }) => region)].map(([region, standing]) => {
    const { estimate: costs } = estimate(standing.flatMap(plannedOf), region);
    return { region, costs };
  });
  const withoutPrice = regions.flatMap(({ region, costs }) =>
    costs
      ? costs.lines.filter((line) => line.monthly_usd === null).map(({ what }) => `${what} in ${region}`)
      : [`everything in ${region}`],
  );
  const dates = regions.flatMap(({ costs }) => costs?.prices_as_of ?? []).sort();
  const total = regions.reduce((sum, { costs }) => sum + (costs?.monthly_usd ?? 0), 0);
  return {
    monthly_usd: Math.round(total * 100) / 100,
    currency: "USD",
    is_complete: withoutPrice.length === 0 && read <= COUNTED_UP_TO,
    without_price: withoutPrice.sort(),
    prices_as_of: dates[0] ?? null,
  };
}

/** Equal objects of a region that cost something. */
interface Standing {
  kind: "server" | "volume" | "address" | "nat_gateway" | "database_server";
  region: string;
  flavor: string | null;
  engine: string | null;
  dedicated: boolean | null;
  publicAddress: boolean | null;
  multiAz: boolean | null;
  type: string | null;
  sizeGb: number | null;
  iops: number | null;
  count: number;
  /** The rows that were read of their kind. */
  read: number;
}

function plannedOf(row: Standing): PlannedResource[] {
  const { kind, region, count, flavor, engine, dedicated, publicAddress, multiAz, type, sizeGb, iops } = row;
  const one: PlannedResource = {
    ...{ kind, count, region },
    ...(flavor !== null && { flavor }),
    ...(engine !== null && { engine }),
    ...(dedicated !== null && { dedicated }),
    ...(publicAddress !== null && { public_address: publicAddress }),
    ...(multiAz !== null && { multi_az: multiAz }),
    ...(type !== null && {
      volumes: [{ name: "data", type, size_gb: sizeGb ?? 0, ...(iops !== null && { iops }) }],
    }),
  };
  // A NAT gateway has an address, which is no record.
  return kind === "nat_gateway" ? [one, { kind: "address", count, region }] : [one];
}

const COLUMNS = {
  flavor: "text",
  engine: "text",
  dedicated: "boolean",
  public_address: "boolean",
  multi_az: "boolean",
  type: "text",
  size_gb: "int",
  iops: "int",
} as const;

type Columns = { [Name in keyof typeof COLUMNS]?: Prisma.Sql };

function standingStatement(accountId: string): Prisma.Sql {
  const of = (from: Prisma.Sql) =>
    Prisma.sql`${from} AND account_id = ${accountId}::uuid AND deleted_at IS NULL AND provisioned_id IS NOT NULL`;
  const parts = [
    // An attached elastic address is a record of its own.
    part("server", of(Prisma.sql`FROM servers WHERE state NOT IN ('stopped', 'terminated')`), Prisma.sql`region`, {
      flavor: Prisma.sql`flavor`,
      dedicated: Prisma.sql`dedicated`,
      public_address: Prisma.sql`address_id IS NULL AND public_hostname IS NOT NULL`,
    }),
    part("volume", of(Prisma.sql`FROM volumes WHERE state <> 'deleted'`), Prisma.sql`region`, {
      type: Prisma.sql`volume_type`,
      size_gb: Prisma.sql`size_gb`,
      iops: Prisma.sql`iops`,
    }),
    part("address", of(Prisma.sql`FROM addresses WHERE TRUE`), Prisma.sql`location`, {}),
    part(
      "nat_gateway",
      of(Prisma.sql`FROM subnets WHERE nat_gateway_id IS NOT NULL`),
      Prisma.sql`(SELECT location FROM networks WHERE networks.id = network_id)`,
      {},
    ),
    part("database_server", of(Prisma.sql`FROM database_servers WHERE state <> 'deleted'`), Prisma.sql`region`, {
      flavor: Prisma.sql`flavor`,
      engine: Prisma.sql`engine`,
      multi_az: Prisma.sql`multi_az`,
      type: Prisma.sql`storage_type`,
      size_gb: Prisma.sql`storage_gb`,
      iops: Prisma.sql`iops`,
    }),
  ];
  return Prisma.sql`SELECT kind, region, flavor, engine, dedicated, public_address AS "publicAddress", multi_az AS "multiAz",
    type, size_gb AS "sizeGb", iops, count, read FROM (${Prisma.join(parts, " UNION ALL ")}) AS standing`;
}

function part(kind: Standing["kind"], from: Prisma.Sql, region: Prisma.Sql, given: Columns): Prisma.Sql {
  const values = Object.entries(COLUMNS).map(([name, type]) => {
    const value = given[name as keyof Columns] ?? Prisma.sql`NULL`;
    return Prisma.sql`(${value})::${Prisma.raw(type)} AS ${Prisma.raw(name)}`;
  });
  const names = Prisma.raw(["region", ...Object.keys(COLUMNS)].join(", "));
  return Prisma.sql`(SELECT ${kind}::text AS kind, ${names}, count(*)::int AS count, (sum(count(*)) OVER ())::int AS read
    FROM (SELECT ${region} AS region, ${Prisma.join(values)} ${from}
      ORDER BY created_at DESC, id DESC ${Prisma.raw(`LIMIT ${COUNTED_UP_TO + 1}`)}) AS newest GROUP BY ${names})`;
}
