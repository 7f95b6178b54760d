import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import {
  AttachVolumeCommand,
  CreateVolumeCommand,
  DescribeInstancesCommand,
  DescribeVolumesCommand,
  ModifyVolumeCommand,
  RunInstancesCommand,
  StartInstancesCommand,
  StopInstancesCommand,
  TerminateInstancesCommand,
} from "@aws-sdk/client-ec2";
import { awsClients, startAws, until } from "../testing.js";
import { AccountSettings } from "./account-settings.js";
import type { Call } from "./call.js";
import type { Emulator } from "./emulator.js";
import { FirstBoots } from "./first-boot.js";
import type { StateTransitions } from "./state-transitions.js";
import { parseXml } from "./xml.js";

interface Report {
  url: string;
  body: { token: string; status: string };
}

const GB = 2 ** 30;

let aws: Awaited<ReturnType<typeof startAws>>;
let accountId: string;
let clients: ReturnType<typeof awsClients>;
let api: Server;
let reports: Report[];
/** What servers have reported of their disks. */
let filled: Record<string, number>[];
/** The statuses of the next responses to reports, then 204. */
let statuses: number[];

beforeAll(async () => {
  aws = await startAws();
});
afterAll(() => aws.stop());
beforeEach(async () => {
  const account = await aws.control.createAccount();
  accountId = account.accountId;
  clients = awsClients(aws.endpoint, account);
  [reports, filled, statuses] = [[], [], []];
  api = createServer(async (request, response) => {
    const body = (await json(request)) as Report["body"] & { filled?: Record<string, number> };
    if (body.filled) filled.push(body.filled);
    else reports.push({ url: request.url ?? "", body });
    response.writeHead((body.filled ? undefined : statuses.shift()) ?? 204).end();
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
  const volumes = [{ device: "/dev/xvdf", mount: "/data" }];
  const blob = Buffer.from(JSON.stringify({ callback_url: url, token: "secret", volumes })).toString("base64");
  return Buffer.from(`#!/usr/bin/python3\nSETTINGS = "${blob}"\n`).toString("base64");
}

const reported = (count: number) => until(async () => reports.length >= count);

it("reports once for each new instance with a callback, also when its launch is repeated", async () => {
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

it("reports the disks that a server fills: once it is set up, when one has grown, and when it starts again", async () => {
  const { ec2 } = clients;
  const launched = performance.now();
  const InstanceId = await launch();
  await until(async () => filled.length === 1);
  // A report that comes before Gantry has recorded the disks would be repeated again and again.
  expect(performance.now() - launched).toBeGreaterThanOrEqual(2900);
  const zone = { AvailabilityZone: "us-east-1a", VolumeType: "gp3" as const };
  const volumes: string[] = [];
  for (const Device of ["/dev/xvdf", "/dev/xvdg"]) {
    const { VolumeId = "" } = await ec2.send(new CreateVolumeCommand({ ...zone, Size: 10 }));
    await ec2.send(new AttachVolumeCommand({ VolumeId, InstanceId, Device }));
    volumes.push(VolumeId);
  }
  await ec2.send(new ModifyVolumeCommand({ VolumeId: volumes[0], Size: 20 }));
  const look = new DescribeVolumesCommand({ VolumeIds: volumes.slice(0, 1) });
  await until(async () => (await ec2.send(look)).Volumes?.[0]?.Size === 20);
  await until(async () => filled.length === 2);
  await ec2.send(new StopInstancesCommand({ InstanceIds: [InstanceId] }));
  await ec2.send(new StartInstancesCommand({ InstanceIds: [InstanceId] }));
  await until(async () => filled.length === 3);
  const root = filled[0]?.["/"] ?? 0;
  expect(root).toBeGreaterThanOrEqual(GB);
  expect(filled.slice(1)).toEqual([1, 2].map(() => ({ "/": root, "/data": 20 * GB })));
});

it("reports only after the instance shows as running", async () => {
  await aws.control.setTransitionDelays({ instanceMs: 600 }, { accountId });
  const startedAt = Date.now();
  const id = await launch();
  await reported(1);
  expect(Date.now() - startedAt).toBeGreaterThanOrEqual(600);
  const { Reservations } = await clients.ec2.send(new DescribeInstancesCommand({ InstanceIds: [id] }));
  expect(Reservations?.[0]?.Instances?.[0]?.State?.Name).toBe("running");
});

it("reports also if the emulator does not say at once whether the instance runs", async () => {
  const answers = [undefined, "pending", "running"];
  const read = async () => {
    const state = answers.shift();
    if (!state) throw new Error("socket hang up");
    const instance = `<item><instanceId>i-1</instanceId><instanceState><name>${state}</name></instanceState></item>`;
    const item = `<item><instancesSet>${instance}</instancesSet></item>`;
    return parseXml(`<DescribeInstancesResponse><reservationSet>${item}</reservationSet></DescribeInstancesResponse>`);
  };
  const transitions = { current: () => undefined } as unknown as StateTransitions;
  const boots = new FirstBoots({ read } as unknown as Emulator, new AccountSettings({ instanceMs: 0 }), transitions);
  const body = Buffer.from(
    "<RunInstancesResponse><instancesSet><item><instanceId>i-1</instanceId></item></instancesSet></RunInstancesResponse>",
  );
  const call = {
    service: "ec2",
    action: "RunInstances",
    params: { UserData: scriptFor(address()) },
  } as unknown as Call;
  boots.start(call, { status: 200, headers: {}, body }, "123456789012|us-east-1");
  await reported(1);
});

it("retries a report until a final response", async () => {
  statuses = [503, 429, 409];
  await launch();
  await reported(3);
  await launch();
  await reported(4);
  expect(statuses).toEqual([]);
  expect(reports).toHaveLength(4);
});

it("follows the account's mode: fails, or reports nothing", async () => {
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

it("reports for no other script, to no other machine, and for no instance terminated before it runs", async () => {
  await launch({ userData: Buffer.from("#!/bin/sh\necho hello").toString("base64") });
  await launch({ userData: Buffer.from('SETTINGS = "bm9qc29u"').toString("base64") });
  await launch({ url: "http://example.com/requests/1/callback" });
  await aws.control.setTransitionDelays({ instanceMs: 600_000 }, { accountId });
  const id = await launch();
  await clients.ec2.send(new TerminateInstancesCommand({ InstanceIds: [id] }));
  // The proxy then looks at the terminated instance before it looks at the next one.
  await aws.control.setTransitionDelays({ instanceMs: 1100 }, { accountId });
  await launch({ url: `${address()}/last` });
  await until(async () => reports.some(({ url }) => url.endsWith("/last")));
  expect(reports).toHaveLength(1);
});
