import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Emulator } from "./emulator.js";

let upstream: Server;
let emulator: Emulator;
/** The statuses of the next responses, then 200. */
let statuses: number[];

beforeEach(async () => {
  statuses = [];
  upstream = createServer((_request, response) => {
    const xml = "<Response><vpcSet><item><vpcId>vpc-1</vpcId></item></vpcSet></Response>";
    response.writeHead(statuses.shift() ?? 200).end(xml);
  });
  await once(upstream.listen(0, "127.0.0.1"), "listening");
  emulator = new Emulator(`http://127.0.0.1:${(upstream.address() as AddressInfo).port}`);
});
afterEach(() => {
  upstream.closeAllConnections();
  upstream.close();
});

const query = () => emulator.query({ accessKeyId: "key", region: "us-east-1" }, "ec2", { Action: "DescribeVpcs" });

it("retries a query that the emulator fails", async () => {
  statuses = [500, 500];
  expect(await query()).toContain("vpc-1");
});

it("throws after the last failed attempt instead of returning an empty response", async () => {
  statuses = [500, 503, 500];
  await expect(query()).rejects.toThrow("The emulator failed at DescribeVpcs with status 500.");
});
