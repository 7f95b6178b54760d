import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { PricingClient } from "@aws-sdk/client-pricing";
import { readPrices } from "./price-list.js";

interface Asked {
  ServiceCode: string;
  Filters: { Field: string; Value: string }[];
  NextToken?: string;
}

// The form of AWS's answers: GetProducts in the API reference of the price list, and its sample, read in November 2026.
const onDemand = (usd: string, beginRange = "0") => ({
  "SKU.TERM": { priceDimensions: { "SKU.TERM.RATE": { unit: "Hrs", beginRange, pricePerUnit: { USD: usd } } } },
});
const product = (
  service: string,
  usd: string,
  attributes: Record<string, string>,
  publicationDate = "2026-11-20T01:02:03Z",
) => ({
  serviceCode: service,
  publicationDate,
  product: { attributes: { regionCode: "eu-central-1", ...attributes } },
  terms: { OnDemand: onDemand(usd) },
});
const linux = {
  ...{ operatingSystem: "Linux", tenancy: "Shared", capacitystatus: "Used", preInstalledSw: "NA" },
  marketoption: "OnDemand",
};
const database = { productFamily: "Database Instance", deploymentOption: "Single-AZ" };
const ofStorage = { productFamily: "Database Storage", deploymentOption: "Single-AZ" };
const list = [
  product("AmazonEC2", "0.0480", { ...linux, instanceType: "t3.medium" }),
  product("AmazonEC2", "0.0960", { ...linux, instanceType: "t3.large" }, "2026-10-30T00:00:00Z"),
  product("AmazonEC2", "0.0664", { ...linux, operatingSystem: "Windows", instanceType: "t3.medium" }),
  product("AmazonEC2", "0.0952", { productFamily: "Storage", volumeApiName: "gp3" }),
  product("AmazonEC2", "0.0060", { productFamily: "System Operation", group: "EBS IOPS", volumeApiName: "gp3" }),
  product("AmazonEC2", "0.0520", { productFamily: "NAT Gateway", usagetype: "EUC1-NatGateway-Hours" }),
  product("AmazonEC2", "0.0520", { productFamily: "NAT Gateway", usagetype: "EUC1-NatGateway-Bytes" }),
  product("AmazonVPC", "0.0050", { group: "VPCPublicIPv4Address", usagetype: "EUC1-PublicIPv4:InUseAddress" }),
  product("AmazonRDS", "0.0200", { ...database, databaseEngine: "PostgreSQL", instanceType: "db.t4g.micro" }),
  product("AmazonRDS", "0.0190", { ...database, databaseEngine: "MySQL", instanceType: "db.t4g.micro" }),
  product("AmazonRDS", "0.1370", { ...ofStorage, usagetype: "EUC1-RDS:GP3-Storage" }),
  product("AmazonRDS", "0.2740", { ...ofStorage, usagetype: "EUC1-RDS:Multi-AZ-GP3-Storage" }),
];
const read = {
  asOf: "2026-10-30",
  source: "AWS's price list, read by npm run prices.",
  instanceHour: { "t3.large": 0.096, "t3.medium": 0.048 },
  databaseHour: { mysql: { "db.t4g.micro": 0.019 }, postgres: { "db.t4g.micro": 0.02 } },
  volumeGbMonth: { gp3: 0.0952 },
  volumeIopsMonth: { gp3: 0.006 },
  databaseGbMonth: { gp3: 0.137 },
  publicAddressHour: 0.005,
  natGatewayHour: 0.052,
};

/** A price list that answers as AWS does, in pages of one product. */
let products: typeof list;
const server = createServer(async (request, response) => {
  const { ServiceCode, Filters, NextToken = "0" } = (await json(request)) as Asked;
  const found = products.filter(({ serviceCode, product: { attributes } }) => {
    const values = attributes as Record<string, string>;
    return serviceCode === ServiceCode && Filters.every(({ Field, Value }) => values[Field] === Value);
  });
  const page = Number(NextToken);
  const more = page + 1 < found.length && { NextToken: String(page + 1) };
  response.setHeader("content-type", "application/x-amz-json-1.1");
  const PriceList = found.slice(page, page + 1).map((each) => JSON.stringify(each));
  response.end(JSON.stringify({ FormatVersion: "aws_v1", PriceList, ...more }));
});
let endpoint: string;
beforeAll(async () => {
  await once(server.listen(0, "127.0.0.1"), "listening");
  endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());
beforeEach(() => {
  products = list;
});

const credentials = { accessKeyId: "key", secretAccessKey: "secret" };
const open = () => new PricingClient({ region: "us-east-1", endpoint, credentials });

it("reads the prices of a region from AWS's list, with the date of the oldest", async () => {
  expect(await readPrices(open(), "eu-central-1")).toEqual(read);
});

it("writes nothing of a list without the prices that each region has", async () => {
  products = list.filter(({ serviceCode }) => serviceCode !== "AmazonVPC");
  await expect(readPrices(open(), "eu-central-1")).rejects.toThrow(
    "no price of PublicIPv4:InUseAddress in eu-central-1",
  );
});
