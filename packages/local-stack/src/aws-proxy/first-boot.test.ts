import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { DescribeInstancesCommand, RunInstancesCommand, TerminateInstancesCommand } from "@aws-sdk/client-ec2";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "@jest/globals";
import { awsClients, startAws, until } from "../testing.js";

interface Report {
  url: string;
  body: { token: string; status: string };
}

let aws: Awaited<ReturnType<typeof startAws>>;
let accountId: string;
let clients: ReturnType<typeof awsClients>;
let api: Server;
let reports: Report[];
/** What the next reports are answered with; 204 when there is nothing left. */
let statuses: number[];

beforeAll(async () => {
  aws = await startAws();
}, 180_000);
afterAll(() => aws.stop());
beforeEach(async () => {
  const account = await aws.control.createAccount();
  accountId = account.accountId;
  clients = awsClients(aws.endpoint, account);
  [reports, statuses] = [[], []];
  api = createServer(async (input, answer) => {
    let text = "";
    for await (const chunk of input) text += chunk;
    reports.push({ url: input.url ?? "", body: JSON.parse(text) });
    answer.writeHead(statuses.shift() ?? 204).end();
  });
  await once(api.listen(0, "127.0.0.1"), "listening");
});
afterEach(() => void api.close());

const address = () => `http://127.0.0.1:${(api.address() as AddressInfo).port}/requests/1/callback`;

async function launch(given: { url?: string; userData?: string; token?: string } = {}) {
  const { url = address(), userData = scriptFor(url), token = randomUUID() } = given;
  const size = { MinCount: 1, MaxCount: 1, InstanceType: "t3.micro" as const, ImageId: "ami-03cf127a" };
  const run = new RunInstancesCommand({ ...size, ClientToken: token, UserData: userData });
  return (await clients.ec2.send(run)).Instances?.[0]?.InstanceId ?? "";
}

function scriptFor(url: string): string {
  const told = Buffer.from(JSON.stringify({ callback_url: url, token: "secret" })).toString("base64");
  return Buffer.from(`#!/usr/bin/python3\nTOLD = "${told}"\n`).toString("base64");
}

const reported = (count: number) => until(async () => reports.length >= count);

it("reports once for each new instance that was told to, however often its launch is repeated", async () => {
  await launch({ token: "once" });
  await launch({ token: "once" });
  await reported(1);
  await launch({ token: "another" });
  await reported(2);
  const report = {
    url: "/requests/1/callback",
    body: { token: "secret", status: "finished", message: expect.anything() },
  };
  expect(reports).toEqual([report, report]);
});

it("reports only when the instance is shown as running", async () => {
  await aws.control.setTransitionDelays({ instanceMs: 600 }, { accountId });
  const begun = Date.now();
  const id = await launch();
  await reported(1);
  expect(Date.now() - begun).toBeGreaterThanOrEqual(600);
  const { Reservations } = await clients.ec2.send(new DescribeInstancesCommand({ InstanceIds: [id] }));
  expect(Reservations?.[0]?.Instances?.[0]?.State?.Name).toBe("running");
});

it("tries again while it cannot be heard, and no more once it was refused for good", async () => {
  statuses = [503, 429, 409];
  await launch();
  await reported(3);
  await launch();
  await reported(4);
  expect(statuses).toEqual([]);
  expect(reports).toHaveLength(4);
});

it("does as it is told in an account: fails, or says nothing", async () => {
  await aws.control.setFirstBoot("fails", { accountId });
  await launch();
  await reported(1);
  expect(reports[0]?.body.status).toBe("failed");
  await aws.control.setFirstBoot("silent", { accountId });
  await launch();
  await aws.control.setFirstBoot("reports", { accountId });
  await launch();
  await reported(2);
  expect(reports.map(({ body }) => body.status)).toEqual(["failed", "finished"]);
});

it("leaves alone what is no script of Gantry's, calls another machine, or was ended before it ran", async () => {
  await launch({ userData: Buffer.from("#!/bin/sh\necho hello").toString("base64") });
  await launch({ userData: Buffer.from('TOLD = "bm9qc29u"').toString("base64") });
  await launch({ url: "http://example.com/requests/1/callback" });
  await aws.control.setTransitionDelays({ instanceMs: 300 }, { accountId });
  const id = await launch();
  await clients.ec2.send(new TerminateInstancesCommand({ InstanceIds: [id] }));
  await aws.control.setTransitionDelays({}, { accountId });
  await launch();
  await reported(1);
  expect(reports).toHaveLength(1);
});
