import { readFileSync } from "node:fs";

/** AWS's on-demand list prices of a region in USD; what they leave out is unknown. */
export interface RegionPrices {
  /** The date of the oldest price, such as 2026-11-27. */
  asOf: string;
  source: string;
  /** Linux on shared hardware, by flavor. */
  instanceHour: Readonly<Record<string, number>>;
  /** Single-AZ, by engine and flavor. */
  databaseHour: Readonly<Record<string, Readonly<Record<string, number>>>>;
  volumeGbMonth: Readonly<Record<string, number>>;
  /** Without the first IOPS that gp3 includes. */
  volumeIopsMonth: Readonly<Record<string, number>>;
  /** Single-AZ. */
  databaseGbMonth: Readonly<Record<string, number>>;
  publicAddressHour: number;
  natGatewayHour: number;
}

const file = new URL("../../../assets/prices.json", import.meta.url);

/** The list prices that Gantry knows, by region: `npm run prices` writes the file. */
export const listPrices: Readonly<Record<string, RegionPrices>> = JSON.parse(readFileSync(file, "utf8"));
