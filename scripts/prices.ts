import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { PricingClient } from "@aws-sdk/client-pricing";
import type { RegionPrices } from "@gantry/api";
import { readPrices } from "./prices/price-list.js";

const USAGE = `Usage: npm run prices [-- --region REGION …] [--file FILE]

Reads AWS's list prices of regions and writes them into apps/api/assets/prices.json, from which plans are estimated. Prices of other
regions stay as they are. It needs AWS credentials with pricing:GetProducts, and makes about 30 calls a region, which are free.

  --region REGION  a region, such as eu-central-1; all regions of the file if omitted
  --file FILE      another file`;

/** The price list is served in few regions, with the prices of all. */
const ENDPOINT_REGION = "us-east-1";

const { values } = parseArgs({
  options: {
    region: { type: "string", multiple: true },
    file: { type: "string", default: new URL("../apps/api/assets/prices.json", import.meta.url).pathname },
    help: { type: "boolean", default: false },
  },
});

if (values.help) console.log(USAGE);
else {
  const known: Record<string, RegionPrices> = JSON.parse(readFileSync(values.file, "utf8"));
  const client = new PricingClient({ region: ENDPOINT_REGION });
  for (const region of values.region ?? Object.keys(known)) {
    const prices = await readPrices(client, region);
    known[region] = prices;
    const flavors = Object.keys(prices.instanceHour).length;
    console.log(`${region}: ${flavors} flavors of servers, prices of ${prices.asOf}`);
  }
  const sorted = Object.fromEntries(Object.entries(known).sort(([one], [other]) => one.localeCompare(other)));
  writeFileSync(values.file, `${JSON.stringify(sorted, null, 2)}\n`);
}
