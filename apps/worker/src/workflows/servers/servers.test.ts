import { createHash, randomUUID } from "node:crypto";
import {
  CreateSecurityGroupCommand,
  DescribeImagesCommand,
  DescribeInstanceAttributeCommand,
  DescribeInstancesCommand,
  DescribeVolumesCommand,
  DescribeVpcsCommand,
  ModifyInstanceAttributeCommand,
  TerminateInstancesCommand,
} from "@aws-sdk/client-ec2";
import type { Environment } from "@gantry/db";
import { callbackToken } from "@gantry/requests";
import type { Env } from "@gantry/runtime";
import { aws, createTestAccount, REGION, type TestAccount, ZONES } from "@gantry/test/support/account";
import { createAddress, createEnvironment, createFirewall, createServer, createVolume } from "@gantry/test/support/api";
import { testAwsEngine } from "@gantry/test/support/aws-engine";
import { type CallbackApi, startCallbackApi } from "@gantry/test/support/callbacks";
import { runAllToEnd, wakeUp } from "@gantry/test/support/engine";
import { createProvisionedEnvironment, PUBLIC_KEY } from "@gantry/test/support/firewall";
import { readFirstBoot } from "@gantry/test/support/first-boot";
import { scenarioContext } from "@gantry/test/support/scenario";
import { cloneDatabase, type TestDatabase, testKeys } from "@gantry/test/support/stack";
import { until } from "@gantry/test/support/until";
import { createRequestOf, requestIamRole, requestNetwork } from "@gantry/test/support/work";
import { type Aws, awsOpener } from "../../aws/clients.js";
import type { Engine } from "../../engine/engine.js";
import { runRequest } from "../../engine/run.js";
import { newServerFromRoot } from "./servers.scenarios.js";

let database: TestDatabase;
let api: CallbackApi;
let engine: Engine<Aws>;
let customer: TestAccount;
let cloud: Aws;

beforeAll(async () => {
  database = await cloneDatabase();
  api = await startCallbackApi(database);
  engine = testAwsEngine(database, api.env);
});
beforeEach(async () => {
  customer = await createTestAccount(database.db, api.env);
  cloud = awsOpener(10)(REGION, customer.awsAccount);
});
afterAll(async () => {
  await api.stop();
  await database.drop();
});

/** A server with a data volume, and the Request that creates it. */
async function requestServer(changes: object = {}, addressId: number | null = null, existing?: Environment) {
  const { db } = database;
  const environment = existing ?? (await createProvisionedEnvironment(db, customer));
  const pending = { state: "pending", provisionedId: null, provisionedAt: null, ...changes };
  const { id } = await createServer(db, environment, pending);
  const disk = { serverId: id, name: "data", device: "/dev/xvdf", mount: "/data", sizeGb: 4 };
  await createVolume(db, customer.provider, { ...disk, state: "pending", provisionedId: null });
  return {
    id,
    requestId: await createRequestOf(db, customer, "provision_server", { type: "server", id }, { addressId }),
  };
}

async function runningServer(changes: object = {}, addressId: number | null = null) {
  const { id, requestId } = await requestServer(changes, addressId);
  expect(await outcome(requestId)).toMatchObject({ successful: true, message: null });
  return { id, requestId };
}

async function outcome(requestId: string) {
  await runAllToEnd(engine, customer.accountId);
  return database.db.request.findUniqueOrThrow({ where: { id: requestId } });
}

const serverOf = (id: number) =>
  database.db.server.findUniqueOrThrow({ where: { id }, include: { volumes: { orderBy: { id: "asc" } } } });
const change = (id: number, action: "apply" | "start" | "stop" | "reboot") =>
  createRequestOf(database.db, customer, "instance_update", { type: "server", id }, { action });
const inventory = () => aws.inventory(customer.awsAccount, { kinds: ["instance", "volume", "address"] });

async function instanceOf(id: number) {
  const { provisionedId } = await serverOf(id);
  const found = await cloud.ec2.send(new DescribeInstancesCommand({ InstanceIds: [provisionedId ?? ""] }));
  return found.Reservations?.[0]?.Instances?.[0];
}

/** The first-boot settings of the server's instance. */
async function firstBootOf(id: number) {
  const instanceId = (await serverOf(id)).provisionedId ?? "";
  const ask = new DescribeInstanceAttributeCommand({ InstanceId: instanceId, Attribute: "userData" });
  return readFirstBoot((await cloud.ec2.send(ask)).UserData?.Value);
}

it("records what AWS shows, with all of its volumes", async () => {
  const { id } = await runningServer();
  const { volumes, ...server } = await serverOf(id);
  expect(server).toMatchObject({
    state: "running",
    provisionedId: expect.stringMatching(/^i-/),
    provisionedAt: expect.any(Date),
    privateHostname: expect.stringMatching(/\.internal$/),
    publicHostname: expect.stringMatching(/^ec2-/),
    chefStatus: [{ message: "The server is set up", timestamp: expect.any(String) }],
  });
  expect(server.devices).toEqual([
    { device: "/dev/xvda", size: 16, volume_type: "gp3", delete_on_termination: true },
    { device: "/dev/xvdf", size: 4, volume_type: "gp3", delete_on_termination: false },
  ]);
  const provisionedId = expect.stringMatching(/^vol-/);
  expect(volumes).toMatchObject([
    { name: "data", device: "/dev/xvdf", state: "in-use", provisionedId },
    { name: "root", device: "/dev/xvda", state: "in-use", provisionedId, sizeGb: 16, location: ZONES[0] },
  ]);
});

it("launches burstable servers with standard CPU credits unless asked otherwise, and others with none", async () => {
  const { accountId } = customer.awsAccount;
  await runningServer({ flavor: "t2.medium" });
  await runningServer({ flavor: "t2.medium", cpuCredits: "unlimited" });
  await runningServer({ flavor: "m4.large" });
  const calls = await aws.calls({ accountId, action: "RunInstances" });
  expect(calls.map(({ params }) => params["CreditSpecification.CpuCredits"])).toEqual([
    "standard",
    "unlimited",
    undefined,
  ]);
});

it("encrypts the root disk if the environment or the account asks for it, and does not mention it elsewhere", async () => {
  const { db } = database;
  const { accountId } = customer;
  await runningServer();
  await db.account.update({ where: { id: accountId }, data: { requiresEncryption: true } });
  await runningServer();
  await db.account.update({ where: { id: accountId }, data: { requiresEncryption: false } });
  const { id, requestId } = await requestServer();
  const { environmentId } = await serverOf(id);
  await db.environment.update({ where: { id: environmentId }, data: { encryptedEbsForEverything: true } });
  expect(await outcome(requestId)).toMatchObject({ successful: true });
  const calls = await aws.calls({ accountId: customer.awsAccount.accountId, action: "RunInstances" });
  const encrypted = calls.map(({ params }) => params["BlockDeviceMapping.1.Ebs.Encrypted"]);
  expect(encrypted).toEqual([undefined, "true", "true"]);
  expect(calls.map(({ params }) => params["BlockDeviceMapping.1.Ebs.VolumeType"])).toEqual(["gp3", "gp3", "gp3"]);
});

it("launches an instance with only IMDSv2, in its environment's firewall", async () => {
  const { id } = await runningServer();
  const { environmentId } = await serverOf(id);
  const firewall = await database.db.firewall.findFirstOrThrow({ where: { environmentId } });
  const instance = await instanceOf(id);
  expect(instance?.MetadataOptions?.HttpTokens).toBe("required");
  expect(instance?.NetworkInterfaces?.[0]?.Groups?.map(({ GroupId }) => GroupId)).toEqual([firewall.provisionedId]);
});

it("assigns a public address in a public subnet, and none in a private subnet", async () => {
  const { db } = database;
  const { networkId, requestId } = await requestNetwork(db, customer, { privateSubnets: true });
  await outcome(requestId);
  const { provisionedId: vpcProvisionedId } = await db.network.findUniqueOrThrow({ where: { id: networkId } });
  const placed = { networkId, vpcProvisionedId, internalPublicKey: PUBLIC_KEY };
  const environment = await createEnvironment(db, customer.provider, placed);
  await createFirewall(db, environment, { provisionedId: null });
  const hostnames = async (isPrivate: boolean) => {
    const { id: subnetId, location } = await db.subnet.findFirstOrThrow({ where: { networkId, private: isPrivate } });
    const { id, requestId } = await requestServer({ subnetId, location }, null, environment);
    expect(await outcome(requestId)).toMatchObject({ successful: true, message: null });
    const { publicHostname, privateHostname } = await serverOf(id);
    return [publicHostname, (await instanceOf(id))?.PublicIpAddress, privateHostname];
  };
  const internal = expect.stringMatching(/internal$/);
  expect(await hostnames(true)).toEqual([null, undefined, internal]);
  expect(await hostnames(false)).toEqual([expect.stringMatching(/^ec2-/), expect.any(String), internal]);
});

it("opens web ports only on application servers, and corrects an instance's groups when it is updated", async () => {
  const { db } = database;
  const groupsOf = async (role: string) => {
    const { id, requestId } = await requestServer({ role });
    const firewall = await db.firewall.findFirstOrThrow({
      where: { environmentId: (await serverOf(id)).environmentId },
    });
    await db.firewall.update({ where: { id: firewall.id }, data: { webGroupId } });
    expect(await outcome(requestId)).toMatchObject({ successful: true });
    const launched = await groups(id);
    const clean = { InstanceId: (await serverOf(id)).provisionedId ?? "", Groups: [webGroupId] };
    await cloud.ec2.send(new ModifyInstanceAttributeCommand(clean));
    expect(await outcome(await change(id, "apply"))).toMatchObject({ successful: true });
    return { own: firewall.provisionedId, launched, updated: await groups(id) };
  };
  const groups = async (id: number) =>
    (await instanceOf(id))?.NetworkInterfaces?.[0]?.Groups?.map(({ GroupId }) => GroupId).sort();
  const { Vpcs } = await cloud.ec2.send(new DescribeVpcsCommand({}));
  const named = { GroupName: "web", Description: "Web", VpcId: Vpcs?.[0]?.VpcId };
  const { GroupId: webGroupId = "" } = await cloud.ec2.send(new CreateSecurityGroupCommand(named));
  for (const role of ["solo", "app_master", "app"]) {
    const { own, launched, updated } = await groupsOf(role);
    expect([role, launched, updated]).toEqual([role, [own, webGroupId].sort(), [own, webGroupId].sort()]);
  }
  for (const role of ["db_master", "db_slave", "util"]) {
    const { own, launched, updated } = await groupsOf(role);
    expect([role, launched, updated]).toEqual([role, [own], [own]]);
  }
});

it("passes the token to the instance, and stores it nowhere", async () => {
  const { id, requestId } = await runningServer();
  const token = callbackToken(testKeys.callbacks, requestId);
  const configuration = await firstBootOf(id);
  expect(configuration).toMatchObject({
    token,
    callback_url: `${api.env.BASE_URL}/requests/${requestId}/callback`,
    username: "deploy",
    authorized_keys: [expect.stringMatching(/^ssh-ed25519 /)],
    volumes: [{ device: "/dev/xvdf", mount: "/data" }],
  });
  const rows = await database.db.cloudObject.findMany({ where: { accountId: customer.accountId } });
  const written = rows.map(({ params }) => params);
  expect(JSON.stringify(written)).toContain(configuration.callback_url);
  expect(JSON.stringify(written)).not.toContain(token);
});

it("installs the keys of members who can change the environment, but not of viewers", async () => {
  const { accountId } = customer;
  for (const role of ["member", "viewer"] as const) {
    const userId = randomUUID();
    const user = { id: userId, name: role, email: `${userId}@example.com`, passwordHash: "none" };
    await database.db.user.create({ data: user });
    await database.db.membership.create({ data: { id: randomUUID(), accountId, userId, role } });
    const key = { publicKey: `ssh-ed25519 ${role}`, fingerprint: "00" };
    await database.db.keypair.create({ data: { userId, ...key } });
    await database.db.keypair.create({ data: { userId, ...key, publicKey: "ssh-ed25519 old", deletedAt: new Date() } });
  }
  const { id } = await runningServer();
  expect((await firstBootOf(id)).authorized_keys.slice(1)).toEqual(["ssh-ed25519 member"]);
});

it("boots with any number of SSH keys: the server gets those that AWS accepts at once and all others when it asks", async () => {
  const { accountId } = customer;
  const userId = randomUUID();
  await database.db.user.create({
    data: { id: userId, name: "Many", email: `${userId}@example.com`, passwordHash: "" },
  });
  await database.db.membership.create({ data: { id: randomUUID(), accountId, userId, role: "member" } });
  const keyOf = (i: number) => `ssh-rsa ${String(i).padStart(3, "0")}${"A".repeat(713)}`;
  const keypair = (i: number) => ({ userId, publicKey: keyOf(i), fingerprint: String(i) });
  await database.db.keypair.createMany({ data: Array.from({ length: 60 }, (_, i) => keypair(i)) });
  const { id, requestId } = await runningServer();
  const installed = (await firstBootOf(id)).authorized_keys;
  expect(installed.length).toBeGreaterThan(5);
  expect(installed.length).toBeLessThan(60);
  const token = callbackToken(testKeys.callbacks, requestId);
  const ask = async (file: string) => {
    const installed = createHash("sha256").update(file).digest("hex");
    const answer = await fetch(`${api.env.BASE_URL}/requests/${requestId}/authorized-keys`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ token, installed }),
    });
    return (await answer.json()) as { authorized_keys: string | null };
  };
  const due = (await ask(`${installed.join("\n")}\n`)).authorized_keys ?? "";
  expect(due.trimEnd().split("\n")).toEqual([installed[0], ...Array.from({ length: 60 }, (_, i) => keyOf(i))]);
  expect(await ask(due)).toEqual({ authorized_keys: null });
});

it("waits without a worker until the server reports, and then ends at once", async () => {
  await aws.setFirstBoot("silent", { accountId: customer.awsAccount.accountId });
  const { requestId } = await requestServer();
  const readRequest = () => database.db.request.findUniqueOrThrow({ where: { id: requestId } });
  await until(async () => {
    await runRequest(engine, requestId);
    return (await readRequest()).stage === "server.bootstrapped";
  });
  const waiting = await readRequest();
  expect(waiting).toMatchObject({ waitingFor: "the server to report that it is set up", leaseUntil: null });
  expect(waiting.nextRunAt.getTime()).toBeGreaterThan(Date.now() + 30_000);
  const body = JSON.stringify({ token: callbackToken(testKeys.callbacks, requestId), status: "finished" });
  const url = `${api.env.BASE_URL}/requests/${requestId}/callback`;
  const answer = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });
  expect(answer.status).toBe(204);
  await runRequest(engine, requestId);
  expect(await readRequest()).toMatchObject({ successful: true, message: null });
});

it("rolls back when the server reports a failure, and can be retried", async () => {
  const address = await createAddress(database.db, customer.provider, { ipAddress: null, provisionedId: null });
  await outcome(
    await createRequestOf(database.db, customer, "address_provision", { type: "address", id: address.id }, {}),
  );
  await aws.setFirstBoot("fails", { accountId: customer.awsAccount.accountId });
  const { id, requestId } = await requestServer({}, address.id);
  expect(await outcome(requestId)).toMatchObject({
    successful: false,
    message: "The server could not be set up: The emulated first boot is set to fail",
    leakedResources: [],
  });
  const failed = await serverOf(id);
  expect(failed).toMatchObject({ state: "terminated", addressId: null, deletedAt: expect.any(Date) });
  expect(failed.volumes.map(({ deletedAt }) => deletedAt)).toEqual([failed.deletedAt, failed.deletedAt]);
  const left = await inventory();
  expect([left.instance, left.volume, left.address.length]).toEqual([[], [], 1]);
  const free = await database.db.address.findUniqueOrThrow({ where: { id: address.id } });
  expect([free.serverId, free.deletedAt]).toEqual([null, null]);

  await aws.setFirstBoot("reports", { accountId: customer.awsAccount.accountId });
  await database.db.volume.updateMany({ where: { serverId: id }, data: { deletedAt: null } });
  await database.db.server.update({ where: { id }, data: { deletedAt: null } });
  const again = await createRequestOf(
    database.db,
    customer,
    "provision_server",
    { type: "server", id },
    { addressId: address.id },
  );
  expect(await outcome(again)).toMatchObject({ successful: true });
  const made = await inventory();
  expect([made.instance.length, made.volume.length]).toEqual([1, 2]);
  expect(await serverOf(id)).toMatchObject({ state: "running", addressId: address.id });
});

it.each([
  ["is not set", { BASE_URL: undefined }, /^The workers' BASE_URL is not set\. .*SERVER_REPORTS=none/],
  ["is of this machine, and AWS is real", { AWS_ENDPOINT_URL: "" }, /BASE_URL \(http:.*machine.*SERVER_REPORTS=none/],
])("creates nothing if BASE_URL %s, and names the remedies", async (_name, changes, sentence) => {
  const { requestId } = await requestServer();
  const { callbackOf } = testAwsEngine(database, { ...api.env, ...changes } as Env);
  await runAllToEnd({ ...engine, callbackOf }, customer.accountId);
  const { message } = await database.db.request.findUniqueOrThrow({ where: { id: requestId } });
  expect(message).toMatch(sentence);
  const made = await inventory();
  expect([made.instance, made.volume]).toEqual([[], []]);
});

/** Runs a Request until it waits in its last stage; `minutes` have then passed since that stage began. */
async function runToLastStage(requestId: string, minutes: number, engineToRun = engine) {
  const name = "server.bootstrapped";
  const where = { requestId_name: { requestId, name } };
  await until(async () => {
    await wakeUp(database.db, requestId);
    await runRequest(engineToRun, requestId);
    return database.db.requestStage.findUnique({ where });
  });
  const startedAt = new Date(Date.now() - minutes * 60_000);
  await database.db.requestStage.update({ where, data: { startedAt } });
}

async function runOnce(requestId: string, engineToRun = engine) {
  await wakeUp(database.db, requestId);
  await runRequest(engineToRun, requestId);
  return database.db.request.findUniqueOrThrow({ where: { id: requestId } });
}

it("ends early if the instance passes its status checks and never reports", async () => {
  const { accountId } = customer.awsAccount;
  await aws.setFirstBoot("silent", { accountId });
  await aws.setTransitionDelays({ statusChecksMs: 600_000 }, { accountId });
  const { requestId } = await requestServer();
  await runToLastStage(requestId, 16);
  const initializing = await runOnce(requestId);
  expect([initializing.finishedAt, initializing.rollingBackSince]).toEqual([null, null]);
  await aws.setTransitionDelays({}, { accountId });
  expect(await outcome(requestId)).toMatchObject({
    successful: false,
    message: expect.stringMatching(/has not reported for 15 minutes: it cannot reach BASE_URL \(http:/),
  });
  expect((await inventory()).instance).toEqual([]);
});

it("keeps waiting for a server that has reported progress", async () => {
  await aws.setFirstBoot("silent", { accountId: customer.awsAccount.accountId });
  const { requestId } = await requestServer();
  await runToLastStage(requestId, 30);
  const report = { status: "progress", message: "The SSH keys are in place" };
  await database.db.request.update({ where: { id: requestId }, data: { report } });
  for (const _look of [1, 2]) {
    const waiting = await runOnce(requestId);
    expect([waiting.finishedAt, waiting.rollingBackSince]).toEqual([null, null]);
  }
});

it("ends at once if the instance is terminated before it reports", async () => {
  await aws.setFirstBoot("silent", { accountId: customer.awsAccount.accountId });
  const { id, requestId } = await requestServer();
  await runToLastStage(requestId, 2);
  const { provisionedId } = await serverOf(id);
  await cloud.ec2.send(new TerminateInstancesCommand({ InstanceIds: [provisionedId ?? ""] }));
  const { message, successful } = await outcome(requestId);
  expect([message, successful]).toEqual([expect.stringMatching(/^The instance was terminated before/), false]);
});

it("counts as set up by its status checks if servers send no reports, and is given no token", async () => {
  const silent = testAwsEngine(database, { ...api.env, SERVER_REPORTS: "none", AWS_ENDPOINT_URL: "" });
  const { accountId } = customer.awsAccount;
  await aws.setTransitionDelays({ statusChecksMs: 600_000 }, { accountId });
  const { id, requestId } = await requestServer();
  await runToLastStage(requestId, 1, silent);
  const waiting = await runOnce(requestId, silent);
  expect(waiting).toMatchObject({ finishedAt: null, waitingFor: "the instance to pass EC2's status checks" });
  await aws.setTransitionDelays({}, { accountId });
  expect(await runOnce(requestId, silent)).toMatchObject({ successful: true, message: null });
  const configuration = await firstBootOf(id);
  expect(configuration).toMatchObject({ volumes: [{ device: "/dev/xvdf", mount: "/data", blank: true }] });
  expect([configuration.token, configuration.callback_url]).toEqual([undefined, undefined]);
  expect((await serverOf(id)).state).toBe("running");
});

it("sets its instance profile, and waits while EC2 does not know that yet", async () => {
  const role = await requestIamRole(database.db, customer);
  await outcome(role.requestId);
  const refusal = {
    code: "InvalidParameterValue",
    message: "Value (r) for parameter iamInstanceProfile.name is invalid",
  };
  const { accessKeyId } = customer.awsAccount;
  await aws.refuse("RunInstances", { ...refusal, times: 2, accessKeyId });
  const { id } = await runningServer({ iamRoleId: role.id });
  const name = `role-${customer.accountId.slice(0, 8)}`;
  expect((await instanceOf(id))?.IamInstanceProfile?.Arn).toMatch(new RegExp(`/${name}$`));
  await database.db.server.update({ where: { id }, data: { iamRoleId: null } });
  await outcome(await change(id, "apply"));
  expect((await instanceOf(id))?.IamInstanceProfile).toBeUndefined();
  await database.db.server.update({ where: { id }, data: { iamRoleId: role.id } });
  const withoutRole = { ...refusal, message: 'IAM Instance Profile "r" has no associated IAM Roles' };
  await aws.refuse("AssociateIamInstanceProfile", { ...withoutRole, times: 1, accessKeyId });
  await outcome(await change(id, "apply"));
  expect((await instanceOf(id))?.IamInstanceProfile?.Arn).toMatch(new RegExp(`/${name}$`));
});

it("is stopped, started and rebooted, and its record follows", async () => {
  const { id } = await runningServer();
  await aws.setTransitionDelays({ instanceMs: 400 }, { accountId: customer.awsAccount.accountId });
  expect(await outcome(await change(id, "stop"))).toMatchObject({ successful: true, stage: "keys" });
  expect((await serverOf(id)).state).toBe("stopped");
  await outcome(await change(id, "start"));
  expect((await serverOf(id)).state).toBe("running");
  expect(await outcome(await change(id, "reboot"))).toMatchObject({ successful: true });
  const rebooted = await aws.calls({ accessKeyId: customer.awsAccount.accessKeyId, action: "RebootInstances" });
  expect(rebooted).toHaveLength(1);
});

it("records that its instance disappeared from AWS, and that it is back", async () => {
  const { id } = await runningServer();
  const { provisionedId } = await serverOf(id);
  const discover = () => createRequestOf(database.db, customer, "discover_server", { type: "server", id }, {});
  await database.db.server.update({ where: { id }, data: { disappearedAt: new Date(), state: "terminated" } });
  await outcome(await discover());
  expect(await serverOf(id)).toMatchObject({ state: "running", disappearedAt: null });
  await cloud.ec2.send(new TerminateInstancesCommand({ InstanceIds: [provisionedId ?? ""] }));
  await outcome(await discover());
  const gone = await serverOf(id);
  expect(gone).toMatchObject({ state: "terminated", disappearedAt: expect.any(Date), deletedAt: null });
  await outcome(await discover());
  expect((await serverOf(id)).disappearedAt).toEqual(gone.disappearedAt);
  const removed = await outcome(
    await createRequestOf(database.db, customer, "deprovision_server", { type: "server", id }, { force: false }),
  );
  expect(removed).toMatchObject({ successful: true, stage: "alerts.finish" });
});

it("keeps volumes that were attached later, finishes its alerts, and removes the rest when it is deprovisioned", async () => {
  const { db } = database;
  const { id } = await runningServer();
  const later = await createVolume(db, customer.provider, { provisionedId: null, sizeGb: 4 });
  const resource = { type: "volume", id: later.id } as const;
  await outcome(await createRequestOf(db, customer, "volume_provision", resource, {}));
  await outcome(await createRequestOf(db, customer, "attach_volume", resource, { serverId: id, device: "/dev/xvdh" }));
  const alarm = { externalId: "1", name: "load", message: "high", severity: "warning" };
  const alertId = "6f1f3f0a-0d3c-4c60-9f0e-5d1f0a5a9b11";
  await db.alert.create({ data: { id: alertId, accountId: customer.accountId, serverId: id, ...alarm } });

  await outcome(await createRequestOf(db, customer, "deprovision_server", { type: "server", id }, { force: false }));
  const server = await serverOf(id);
  expect(server).toMatchObject({ state: "terminated", deletedAt: expect.any(Date), deprovisionedAt: expect.any(Date) });
  expect(server.volumes.map(({ name, deletedAt }) => [name, deletedAt !== null])).toEqual([
    ["data", true],
    ["root", true],
  ]);
  expect((await db.alert.findUniqueOrThrow({ where: { id: alertId } })).finishedAt).not.toBeNull();
  const kept = await db.volume.findUniqueOrThrow({ where: { id: later.id } });
  expect(kept).toMatchObject({ serverId: null, device: null, state: "available", deletedAt: null });
  const found = await cloud.ec2.send(new DescribeVolumesCommand({ VolumeIds: [kept.provisionedId ?? ""] }));
  expect(found.Volumes?.[0]?.State).toBe("available");
  const left = await inventory();
  expect([left.instance, left.volume.map((volume) => volume.id)]).toEqual([[], [kept.provisionedId]]);
});

it.each(["InsufficientInstanceCapacity", "Unsupported"])(
  "launches a server in another zone, with its volume, if AWS answers %s and the caller named none",
  async (code) => {
    const [first, second] = ZONES as [string, string];
    const { id, requestId } = await requestServer({
      location: first,
      alternatives: [{ zone: second, subnetId: null }],
    });
    await aws.refuse("RunInstances", { code, times: 1, accessKeyId: customer.awsAccount.accessKeyId });
    expect(await outcome(requestId)).toMatchObject({ successful: true, message: null });
    const server = await serverOf(id);
    expect([server.location, server.leavingZone, server.alternatives]).toEqual([second, null, []]);
    expect(new Set(server.volumes.map(({ location }) => location))).toEqual(new Set([second]));
    expect((await instanceOf(id))?.Placement?.AvailabilityZone).toBe(second);
    const { instance, volume } = await inventory();
    expect([instance.length, volume.length]).toEqual([1, 2]);
    const messages = await database.db.requestMessage.findMany({ where: { requestId } });
    expect(messages.map(({ message }) => message).join()).toMatch(`AWS cannot launch ${server.flavor} in ${first} now`);
  },
);

it("fails with the reason if the caller named the zone and AWS does not offer the flavor there", async () => {
  const { requestId } = await requestServer({ alternatives: [] });
  await aws.refuse("RunInstances", { code: "Unsupported", accessKeyId: customer.awsAccount.accessKeyId });
  expect(await outcome(requestId)).toMatchObject({
    successful: false,
    message: "AWS does not offer this flavor in this zone",
  });
  const { instance, volume } = await inventory();
  expect([instance, volume]).toEqual([[], []]);
});

it("launches a server of an ARM flavor with an image for ARM", async () => {
  const facts = { vcpus: 2, memoryMib: 4096, isBurstable: true, ebsOptimized: true };
  await database.db.instanceType.create({ data: { name: "t4g.medium", architecture: "arm64", ...facts } });
  const { id } = await runningServer({ flavor: "t4g.medium" });
  const { ImageId = "" } = (await instanceOf(id)) ?? {};
  const { Images } = await cloud.ec2.send(new DescribeImagesCommand({ ImageIds: [ImageId] }));
  expect(Images?.[0]?.Architecture).toBe("arm64");
});

describe("a server from the snapshot of a root disk", () => {
  async function requestRestored() {
    const { db } = database;
    const { id } = await newServerFromRoot(scenarioContext(engine, { db, env: api.env, customer }));
    return {
      id,
      requestId: await createRequestOf(db, customer, "provision_server", { type: "server", id }, { addressId: null }),
    };
  }
  const launches = () => aws.calls({ accountId: customer.awsAccount.accountId, action: "RunInstances" });
  const left = async () => {
    const { instance, volume, image } = await aws.inventory(customer.awsAccount);
    const own = [instance, volume, image].map((found) => found.filter(({ tags }) => tags["gantry:account"]).length);
    return { instances: own[0], volumes: own[1], images: own[2] };
  };

  it("starts from its own image, which is removed with it, while the snapshot stays", async () => {
    await aws.setTransitionDelays({ imageMs: 300 }, { accountId: customer.awsAccount.accountId });
    const { id, requestId } = await requestRestored();
    expect(await outcome(requestId)).toMatchObject({ successful: true, message: null });
    const { imageId, volumes } = await serverOf(id);
    const { Images } = await cloud.ec2.send(new DescribeImagesCommand({ Owners: ["self"] }));
    const SnapshotId = volumes.find(({ mount }) => mount === "/")?.fromSnapshot;
    expect(Images).toMatchObject([
      {
        ImageId: imageId,
        Architecture: "x86_64",
        BlockDeviceMappings: [{ DeviceName: "/dev/xvda", Ebs: { SnapshotId } }],
      },
    ]);
    expect((await instanceOf(id))?.ImageId).toBe(imageId);
    const launch = (await launches()).at(-1)?.params;
    expect(launch).toMatchObject({
      "BlockDeviceMapping.1.DeviceName": "/dev/xvda",
      "BlockDeviceMapping.1.Ebs.VolumeSize": "20",
      "BlockDeviceMapping.1.Ebs.DeleteOnTermination": "true",
    });
    const removal = await createRequestOf(
      database.db,
      customer,
      "deprovision_server",
      { type: "server", id },
      { force: false },
    );
    expect(await outcome(removal)).toMatchObject({ successful: true });
    expect(await left()).toEqual({ instances: 0, volumes: 0, images: 0 });
    expect((await aws.inventory(customer.awsAccount, { kinds: ["snapshot"] })).snapshot).toMatchObject([
      { id: SnapshotId },
    ]);
  });

  it("waits while AWS does not know the new image", async () => {
    const { accountId } = customer.awsAccount;
    await aws.refuse("RunInstances", { code: "InvalidAMIID.NotFound", times: 1, accountId });
    const { requestId } = await requestRestored();
    expect(await outcome(requestId)).toMatchObject({ successful: true, message: null });
    expect((await launches()).length).toBe(2);
    expect(await left()).toEqual({ instances: 1, volumes: 2, images: 1 });
  });

  it("has a root disk as large as the snapshot, also if the disk had grown outside of Gantry", async () => {
    const { id, requestId } = await requestRestored();
    await database.db.volume.updateMany({ where: { serverId: id, mount: "/" }, data: { sizeGb: 16 } });
    expect(await outcome(requestId)).toMatchObject({ successful: true });
    expect((await serverOf(id)).volumes.find(({ mount }) => mount === "/")).toMatchObject({ sizeGb: 20 });
  });

  it.each<[string, (requestId: string) => Promise<unknown>]>([
    [
      "AWS refuses its launch",
      async (requestId) => {
        await aws.refuse("RunInstances", { code: "UnauthorizedOperation", accountId: customer.awsAccount.accountId });
        return outcome(requestId);
      },
    ],
    [
      "the answer to the registration is lost, and AWS refuses its launch",
      async (requestId) => {
        const { accountId } = customer.awsAccount;
        await aws.loseResponse("RegisterImage", { times: 2, accountId });
        await aws.refuse("RunInstances", { code: "UnauthorizedOperation", accountId });
        return outcome(requestId);
      },
    ],
    [
      "its Request is cancelled while AWS registers the image",
      async (requestId) => {
        await aws.setTransitionDelays({ imageMs: 3_600_000 }, { accountId: customer.awsAccount.accountId });
        const ended = outcome(requestId);
        const waiting = { id: requestId, waitingFor: "AWS to make the snapshot's image available" };
        await until(() => database.db.request.findFirst({ where: waiting }));
        await database.db.request.update({ where: { id: requestId }, data: { cancelRequestedAt: new Date() } });
        return ended;
      },
    ],
  ])("leaves no image behind, and keeps the snapshot, if %s", async (_, end) => {
    const { requestId } = await requestRestored();
    expect(await end(requestId)).toMatchObject({ successful: false, leakedResources: [] });
    const { accountId } = customer.awsAccount;
    expect((await aws.calls({ accountId, action: "RegisterImage" })).length).toBeGreaterThan(0);
    expect(await left()).toEqual({ instances: 0, volumes: 0, images: 0 });
    expect((await aws.inventory(customer.awsAccount, { kinds: ["snapshot"] })).snapshot).toHaveLength(1);
  });

  it("is encrypted if the account requires it, even if the snapshot is not", async () => {
    await database.db.account.update({ where: { id: customer.accountId }, data: { requiresEncryption: true } });
    const { requestId } = await requestRestored();
    expect(await outcome(requestId)).toMatchObject({ successful: true });
    expect((await launches()).at(-1)?.params).toMatchObject({ "BlockDeviceMapping.1.Ebs.Encrypted": "true" });
  });

  it("reports its image as left behind if AWS refuses to remove it, and removes the rest", async () => {
    const { accountId } = customer.awsAccount;
    await aws.setFirstBoot("fails", { accountId });
    await aws.refuse("DeregisterImage", { code: "UnauthorizedOperation", accountId });
    const { id, requestId } = await requestRestored();
    const { successful, leakedResources } = await outcome(requestId);
    const [image] = (await aws.inventory(customer.awsAccount, { kinds: ["image"] })).image;
    expect([successful, leakedResources]).toMatchObject([false, [{ kind: "image", id: image?.id }]]);
    expect(await left()).toEqual({ instances: 0, volumes: 0, images: 1 });
    await aws.clear({ accountId });
    await outcome(await createRequestOf(database.db, customer, "remove_leaked_resources", { type: "server", id }, {}));
    expect(await left()).toEqual({ instances: 0, volumes: 0, images: 0 });
  });
});

describe("a larger volume of a server", () => {
  const grow = (id: number, sizeGb: number) =>
    createRequestOf(database.db, customer, "modify_volume", { type: "volume", id }, { sizeGb });
  const reportingServer = async () => {
    const { id } = await runningServer();
    await until(async () => (await serverOf(id)).volumes.every(({ fileSystemGb }) => fileSystemGb !== null));
    return { id };
  };
  const messagesOf = async (requestId: string) =>
    (await database.db.requestMessage.findMany({ where: { requestId } })).map(({ message }) => message);

  it.each(["/data", "/"])("is ready when the server has let the file system at %s fill it", async (mount) => {
    const { id } = await runningServer();
    const volume = (await serverOf(id)).volumes.find((each) => each.mount === mount);
    const sizeGb = (volume?.sizeGb ?? 0) + 5;
    const requestId = await grow(volume?.id ?? 0, sizeGb);
    expect(await outcome(requestId)).toMatchObject({ successful: true, message: null });
    const server = await serverOf(id);
    expect(server.volumes.find((each) => each.mount === mount)).toMatchObject({ sizeGb, fileSystemGb: sizeGb });
    expect(server.devices).toContainEqual(expect.objectContaining({ device: volume?.device, size: sizeGb }));
    expect(await messagesOf(requestId)).toEqual([]);
  });

  it("waits for a server that has not done so yet", async () => {
    const { id } = await reportingServer();
    const [volume] = (await serverOf(id)).volumes;
    const { db } = database;
    expect(await outcome(await grow(volume?.id ?? 0, 9))).toMatchObject({ successful: true });
    await db.volume.update({ where: { id: volume?.id ?? 0 }, data: { fileSystemGb: 4 } });
    const requestId = await grow(volume?.id ?? 0, 9);
    await until(async () => (await runOnce(requestId)).stage === "grow-file-system");
    expect((await runOnce(requestId)).waitingFor).toBe(
      `server ${id} to let the file system at /data fill the 9 GB, which it does every minute`,
    );
    await db.volume.update({ where: { id: volume?.id ?? 0 }, data: { fileSystemGb: 9 } });
    expect(await outcome(requestId)).toMatchObject({ successful: true });
  });

  it("is ready at once if its server is stopped, and the Request says what is left", async () => {
    const { id } = await reportingServer();
    const [volume] = (await serverOf(id)).volumes;
    expect(await outcome(await change(id, "stop"))).toMatchObject({ successful: true });
    const stopped = await grow(volume?.id ?? 0, 8);
    expect(await outcome(stopped)).toMatchObject({ successful: true });
    expect(await messagesOf(stopped)).toEqual([`The file system at /data fills the 8 GB once server ${id} runs again`]);
    expect((await serverOf(id)).volumes[0]).toMatchObject({ sizeGb: 8, fileSystemGb: 4 });
    await database.db.volume.update({ where: { id: volume?.id ?? 0 }, data: { fileSystemGb: null } });
    const unknown = await grow(volume?.id ?? 0, 12);
    expect(await outcome(unknown)).toMatchObject({ successful: true });
    expect(await messagesOf(unknown)).toEqual([
      expect.stringContaining("with growpart and then resize2fs or xfs_growfs"),
    ]);
  });

  it("is ready after three minutes if its server runs, but does not report the file system", async () => {
    const { id } = await reportingServer();
    const [volume] = (await serverOf(id)).volumes;
    const data = { mount: "/elsewhere", fileSystemGb: null };
    await database.db.volume.update({ where: { id: volume?.id ?? 0 }, data });
    const requestId = await grow(volume?.id ?? 0, 9);
    await until(async () => (await runOnce(requestId)).stage === "grow-file-system");
    expect((await runOnce(requestId)).waitingFor).toBe(`server ${id} to report which of its disks it fills`);
    const startedAt = new Date(Date.now() - 3 * 60_000);
    await database.db.requestStage.updateMany({ where: { requestId, name: "grow-file-system" }, data: { startedAt } });
    expect(await outcome(requestId)).toMatchObject({ successful: true });
    expect(await messagesOf(requestId)).toEqual([expect.stringContaining("with growpart and then")]);
  });
});

describe("an apply sets the SSH keys", () => {
  const addKey = async (publicKey: string) => {
    const { id: userId } = await database.db.user.create({
      data: { id: randomUUID(), name: "Member", email: `${randomUUID()}@example.com`, passwordHash: "" },
    });
    const { accountId } = customer;
    await database.db.membership.create({ data: { id: randomUUID(), accountId, userId, role: "member" } });
    await database.db.keypair.create({ data: { publicKey, fingerprint: randomUUID(), userId } });
    return userId;
  };
  const leave = (userId: string) => database.db.membership.deleteMany({ where: { userId } });

  it("of those who are members now, and waits until the server has them", async () => {
    const leaver = await addKey("ssh-ed25519 leaver");
    await addKey("ssh-ed25519 stays");
    const { id } = await runningServer();
    await database.db.server.update({ where: { id }, data: { keysAskedAt: new Date() } });
    await leave(leaver);
    const requestId = await change(id, "apply");
    await until(async () => (await runOnce(requestId)).stage === "keys");
    expect(await runOnce(requestId)).toMatchObject({
      finishedAt: null,
      waitingFor: "the server to request its SSH keys, which it does every minute",
    });
    const { authorizedKeys, keysCurrent, environmentId } = await serverOf(id);
    const environment = await database.db.environment.findUniqueOrThrow({ where: { id: environmentId } });
    expect(authorizedKeys).toBe(`${environment.internalPublicKey}\nssh-ed25519 stays\n`);
    expect(keysCurrent).toBe(false);
    await database.db.server.update({ where: { id }, data: { keysCurrent: true } });
    expect(await outcome(requestId)).toMatchObject({ successful: true });
    expect(await outcome(await change(id, "apply"))).toMatchObject({ successful: true });
  });

  it("and waits for no server that never asks, or that is stopped", async () => {
    const { id } = await runningServer();
    expect(await outcome(await change(id, "apply"))).toMatchObject({ successful: true });
    expect((await serverOf(id)).authorizedKeys).toMatch(/^ssh-/);
    expect(await outcome(await change(id, "stop"))).toMatchObject({ successful: true });
    await database.db.server.update({ where: { id }, data: { keysAskedAt: new Date(), authorizedKeys: null } });
    expect(await outcome(await change(id, "apply"))).toMatchObject({ successful: true });
  });
});
