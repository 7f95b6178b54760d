import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, it } from "@jest/globals";
import { Emulator } from "./emulator.js";

let upstream: Server;
let emulator: Emulator;
/** What the next questions are answered with; 200 when there is nothing left. */
let statuses: number[];

beforeEach(async () => {
  statuses = [];
  upstream = createServer((_question, answer) => {
    answer
      .writeHead(statuses.shift() ?? 200)
      .end("<Answer><vpcSet><item><vpcId>vpc-1</vpcId></item></vpcSet></Answer>");
  });
  await once(upstream.listen(0, "127.0.0.1"), "listening");
  emulator = new Emulator(`http://127.0.0.1:${(upstream.address() as AddressInfo).port}`);
});
afterEach(() => {
  upstream.closeAllConnections();
  upstream.close();
});

const ask = () => emulator.query({ accessKeyId: "key", region: "us-east-1" }, "ec2", { Action: "DescribeVpcs" });

it("asks again where the emulator fails", async () => {
  statuses = [500, 500];
  expect(await ask()).toContain("vpc-1");
});

it("never takes a failure for an empty answer", async () => {
  statuses = [500, 503, 500];
  await expect(ask()).rejects.toThrow("The emulator failed at DescribeVpcs with status 500.");
});
