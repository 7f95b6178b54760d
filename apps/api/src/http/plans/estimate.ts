import { DATABASE_GP3_IOPS } from "@gantry/aws-facts";
import { field } from "@gantry/resources";
import { z } from "zod";
import { ownValue } from "../input/own-value.js";
import type { PlannedResource } from "./planned-resource.js";
import { listPrices, type RegionPrices } from "./prices.js";

const HOURS_PER_MONTH = 730;
const GP3_INCLUDED_IOPS = 3000;

const usd = field(z.number(), 30.37);

export const estimateSchema = z
  .object({
    monthly_usd: usd.describe("The sum of the priced lines, for a month of 730 hours"),
    monthly_usd_change: usd.optional().describe("The difference to the costs before the change"),
    max_monthly_usd: usd.optional().describe("The same sum if AWS raises every count to its maximum"),
    currency: z.literal("USD"),
    is_complete: z.boolean().describe("False if a line has no price"),
    prices_as_of: field(z.string(), "2026-11-01", "The date of the oldest price"),
    region: field(z.string(), "us-east-1"),
    lines: z.array(
      z.object({ what: field(z.string(), "the network vpc-0123456789abcdef0"), monthly_usd: usd.nullable() }),
    ),
    note: field(z.string(), "an estimate"),
  })
  .meta({ id: "Estimate" });

export type Estimate = z.infer<typeof estimateSchema>;

/** The monthly costs of resources of one region by AWS's list prices, or the reason why there is no estimate. */
export function estimate(
  resources: PlannedResource[],
  region = resources[0]?.region ?? "",
): { estimate: Estimate | null; estimate_note?: string } {
  const prices = ownValue(listPrices, region);
  if (!prices) {
    const known = Object.keys(listPrices).join(", ");
    return { estimate: null, estimate_note: `Gantry has no prices for ${region}, only for ${known}` };
  }
  const priced = resources.flatMap((each) => linesOf(each, prices));
  const lines = priced.filter(({ count }) => count > 0);
  const unknown = [...new Set(priced.filter(({ price }) => price === undefined).map(({ name }) => name))];
  const sum = (countOf: (line: Line) => number) =>
    cents(priced.reduce((n, it) => n + countOf(it) * (it.price ?? 0), 0));
  return {
    estimate: {
      monthly_usd: sum(({ count }) => count),
      ...(resources.some((each) => each.max_count !== undefined) && { max_monthly_usd: sum((line) => line.maxCount) }),
      currency: "USD",
      is_complete: unknown.length === 0,
      prices_as_of: prices.asOf,
      region,
      lines: [...Map.groupBy(lines, ({ name }) => name).values()].map((same) => {
        const count = same.reduce((n, line) => n + line.count, 0);
        const { name = "", price } = same[0] ?? {};
        return { what: `${count} × ${name}`, monthly_usd: price === undefined ? null : cents(count * price) };
      }),
      note: [
        ...(unknown.length > 0 ? [`Gantry has no price for ${unknown.join(", ")}.`] : []),
        "Approximate on-demand list prices, excluding traffic, snapshots, extended support, discounts and taxes.",
      ].join(" "),
    },
  };
}

/** The monthly costs of resources after a change, and their difference to those before. */
export function estimateOfChange(before: PlannedResource[], after: PlannedResource[]): ReturnType<typeof estimate> {
  const region = [...after, ...before][0]?.region;
  const [old, changed] = [estimate(before, region), estimate(after, region)];
  if (!old.estimate || !changed.estimate) return changed;
  const isKnown = old.estimate.is_complete && changed.estimate.is_complete;
  const difference = isKnown && { monthly_usd_change: cents(changed.estimate.monthly_usd - old.estimate.monthly_usd) };
  return { estimate: { ...changed.estimate, ...difference } };
}

interface Line {
  name: string;
  count: number;
  maxCount: number;
  /** USD a month of one; undefined if the table has none. */
  price: number | undefined;
}

function linesOf(resource: PlannedResource, prices: RegionPrices): Line[] {
  const { count, max_count: maxCount = count } = resource;
  return partsOf(resource, prices).map(([name, price]) => ({ name, count, maxCount, price }));
}

type Part = [name: string, monthlyUsd: number | undefined];

function partsOf(resource: PlannedResource, prices: RegionPrices): Part[] {
  const { kind, flavor = "", dedicated, public_address: hasAddress, volumes = [] } = resource;
  const address: Part = ["public IPv4 address", prices.publicAddressHour * HOURS_PER_MONTH];
  const disks = volumes.map((volume) => diskPart(volume, prices));
  switch (kind) {
    case "server": {
      const hour = dedicated ? undefined : ownValue(prices.instanceHour, flavor);
      return [[`${dedicated ? "dedicated " : ""}${flavor}`, monthly(hour)], ...disks, ...(hasAddress ? [address] : [])];
    }
    case "volume":
      return disks;
    case "address":
      return [address];
    case "nat_gateway":
      return [["NAT gateway", prices.natGatewayHour * HOURS_PER_MONTH]];
    case "database_server":
      return databaseParts(resource, prices);
    case "auto_scaling_group":
    case "network":
    case "subnet":
      return [];
  }
}

type Volume = NonNullable<PlannedResource["volumes"]>[number];

function diskPart({ type, size_gb: size, iops = 0 }: Volume, prices: RegionPrices): Part {
  const gbMonth = ownValue(prices.volumeGbMonth, type);
  const billedIops = type === "gp3" ? Math.max(0, iops - GP3_INCLUDED_IOPS) : iops;
  const iopsUsd = billedIops * (ownValue(prices.volumeIopsMonth, type) ?? 0);
  const name = `${size} GB ${type}${iops > 0 ? ` with ${iops} IOPS` : ""}`;
  return [name, gbMonth === undefined ? undefined : size * gbMonth + iopsUsd];
}

function databaseParts(resource: PlannedResource, prices: RegionPrices): Part[] {
  const { engine = "", flavor = "", multi_az: isMultiAz, volumes = [] } = resource;
  const copies = isMultiAz ? 2 : 1;
  const suffix = isMultiAz ? " multi-AZ" : "";
  const hour = ownValue(ownValue(prices.databaseHour, engine) ?? {}, flavor);
  return [
    [`${flavor} of ${engine}${suffix}`, monthly(hour, copies)],
    ...volumes.map(({ type, size_gb: size, iops = 0 }): Part => {
      // What more IOPS than RDS includes cost is unknown.
      const gbMonth = iops > DATABASE_GP3_IOPS.range[0] ? undefined : ownValue(prices.databaseGbMonth, type);
      const speed = iops > 0 ? ` with ${iops} IOPS` : "";
      return [`${size} GB ${type}${speed} for ${engine}${suffix}`, gbMonth && size * gbMonth * copies];
    }),
  ];
}

function monthly(hour: number | undefined, copies = 1): number | undefined {
  return hour && hour * HOURS_PER_MONTH * copies;
}

function cents(amount: number): number {
  return Math.round(amount * 100) / 100;
}
