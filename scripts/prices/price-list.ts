import { type PricingClient, paginateGetProducts } from "@aws-sdk/client-pricing";
import type { RegionPrices } from "@gantry/api";

/** A product of the price list, as far as it is used: AWS's "Price list query API", read in November 2026. */
interface Product {
  publicationDate: string;
  product: { attributes: Readonly<Record<string, string>> };
  terms: { OnDemand?: Record<string, { priceDimensions: Record<string, PriceDimension> }> };
}

interface PriceDimension {
  /** `0` for the first tier of an amount. */
  beginRange?: string;
  pricePerUnit: { USD?: string };
}

const SOURCE = "AWS's price list, read by npm run prices.";
const ENGINES = { postgres: "PostgreSQL", mysql: "MySQL" };
/** The usage types of storage of databases; some have a prefix for the region. */
const DATABASE_STORAGE = { gp3: "RDS:GP3-Storage", gp2: "RDS:GP2-Storage", standard: "RDS:StorageUsage" };

/**
 * Reads the list prices of a region.
 *
 * @throws if the list has no price for addresses or NAT gateways, which each region has: then it is read wrongly
 */
export async function readPrices(client: PricingClient, region: string): Promise<RegionPrices> {
  const dates: string[] = [];
  const of = (service: string, filters: Record<string, string>) =>
    products(client, service, { regionCode: region, ...filters }, dates);

  const instances = await of("AmazonEC2", {
    operatingSystem: "Linux",
    tenancy: "Shared",
    capacitystatus: "Used",
    preInstalledSw: "NA",
    marketoption: "OnDemand",
  });
  const disks = await of("AmazonEC2", { productFamily: "Storage" });
  const iops = await of("AmazonEC2", { productFamily: "System Operation", group: "EBS IOPS" });
  const gateways = await of("AmazonEC2", { productFamily: "NAT Gateway" });
  const addresses = await of("AmazonVPC", { group: "VPCPublicIPv4Address" });
  const storage = await of("AmazonRDS", { productFamily: "Database Storage", deploymentOption: "Single-AZ" });
  const databaseHour: Record<string, Record<string, number>> = {};
  for (const [engine, databaseEngine] of Object.entries(ENGINES)) {
    const single = { productFamily: "Database Instance", databaseEngine, deploymentOption: "Single-AZ" };
    databaseHour[engine] = byAttribute(await of("AmazonRDS", single), "instanceType");
  }
  return {
    asOf: dates.sort()[0]?.slice(0, 10) ?? "",
    source: SOURCE,
    instanceHour: byAttribute(instances, "instanceType"),
    databaseHour,
    volumeGbMonth: byAttribute(disks, "volumeApiName"),
    volumeIopsMonth: byAttribute(iops, "volumeApiName"),
    databaseGbMonth: Object.fromEntries(
      Object.entries(DATABASE_STORAGE).flatMap(([type, usage]) => {
        const price = priceOfUsage(storage, usage);
        return price === undefined ? [] : [[type, price]];
      }),
    ),
    publicAddressHour: required(addresses, "PublicIPv4:InUseAddress", region),
    natGatewayHour: required(gateways, "NatGateway-Hours", region),
  };
}

/** The products that have all these attributes. */
async function products(
  client: PricingClient,
  ServiceCode: string,
  attributes: Record<string, string>,
  dates: string[],
): Promise<Product[]> {
  const Filters = Object.entries(attributes).map(([Field, Value]) => ({ Type: "TERM_MATCH" as const, Field, Value }));
  const found: Product[] = [];
  for await (const { PriceList = [] } of paginateGetProducts({ client }, { ServiceCode, Filters }))
    found.push(...PriceList.map((text: unknown) => JSON.parse(String(text)) as Product));
  dates.push(...found.map(({ publicationDate }) => publicationDate));
  return found;
}

/** The prices by the values of an attribute, in their order. A price of 0 is one of a reservation, and is left out. */
function byAttribute(found: readonly Product[], name: string): Record<string, number> {
  const prices = found.flatMap((product) => {
    const [value, price] = [product.product.attributes[name], priceOf(product)];
    return value === undefined || price === undefined || price === 0 ? [] : [[value, price] as const];
  });
  return Object.fromEntries(prices.sort(([one], [other]) => one.localeCompare(other)));
}

function priceOfUsage(found: readonly Product[], usage: string): number | undefined {
  const isUsage = ({ product }: Product) => {
    const type = product.attributes.usagetype ?? "";
    return type === usage || type.endsWith(`-${usage}`);
  };
  return found
    .filter(isUsage)
    .map(priceOf)
    .find((price) => price !== undefined && price > 0);
}

function required(found: readonly Product[], usage: string, region: string): number {
  const price = priceOfUsage(found, usage);
  if (price === undefined) throw new Error(`AWS's price list has no price of ${usage} in ${region}`);
  return price;
}

/** The on-demand price of the first unit in USD. */
function priceOf({ terms }: Product): number | undefined {
  const dimensions = Object.values(terms.OnDemand ?? {}).flatMap((term) => Object.values(term.priceDimensions));
  const first = dimensions.find(({ beginRange = "0" }) => beginRange === "0");
  const usd = first?.pricePerUnit.USD;
  return usd === undefined ? undefined : Number(usd);
}
