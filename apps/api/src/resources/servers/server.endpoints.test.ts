import { randomUUID } from "node:crypto";
import type { Environment, Provider } from "@gantry/db";
import {
  createCaller,
  createEnvironment,
  createNetwork,
  createProvider,
  createServer,
  createSubnet,
  OTHER_REGION,
  REGION,
  type TestCaller,
  ZONE,
} from "@gantry/test/support/api";
import { expectRefusal, startApiTest } from "@gantry/test/support/api-test";

const { api, db } = await startApiTest();
let owner: TestCaller;
let provider: Provider;
let environment: Environment;
beforeEach(async () => {
  owner = await createCaller(api);
  provider = await createProvider(db, owner.accountId);
  environment = await createEnvironment(db, provider);
});

const attributes = { flavor: "m3.medium", role: "app" };

function send(server: object = {}, more: object = {}) {
  return owner.post("/servers", { environment: environment.id, server: { ...attributes, ...server }, ...more });
}

/** How many servers and volumes existing are: what was refused has changed nothing. */
async function rowsOf(accountId = owner.accountId) {
  const [servers, volumes, requests] = await Promise.all([
    db.server.count({ where: { accountId } }),
    db.volume.count({ where: { accountId } }),
    db.request.count({ where: { accountId } }),
  ]);
  return { servers, volumes, requests };
}

async function createdServer(answer: { status: number; body: { request: { resource: string } } }) {
  expect([answer.status, answer.body]).toEqual([200, { request: expect.anything() }]);
  const id = Number(answer.body.request.resource.split("/").at(-1));
  return db.server.findUniqueOrThrow({ where: { id }, include: { volumes: { orderBy: { device: "asc" } } } });
}

function createRole(changes: object = {}) {
  const { accountId, id: providerId } = provider;
  const provisioned = { name: randomUUID(), provisionedId: "AROA1", assumeRolePolicyDocument: {} };
  return db.iamRole.create({ data: { id: randomUUID(), accountId, providerId, ...provisioned, ...changes } });
}

function createAddress(changes: object = {}) {
  const { accountId, id: providerId } = provider;
  const provisioned = { location: REGION, ipAddress: "54.0.0.4", provisionedId: "eipalloc-1" };
  return db.address.create({ data: { accountId, providerId, ...provisioned, ...changes } });
}

/** A snapshot of another server's volume. */
async function createSnapshot(changes: object = {}, mount = "/data") {
  const source = await createServer(db, environment);
  const { accountId, providerId, id: serverId } = source;
  const volume = await db.volume.create({
    data: { accountId, providerId, serverId, region: REGION, location: ZONE, sizeGb: 40, mount },
  });
  const complete = { state: "completed", progress: 100, sizeGb: 40, provisionedId: "snap-1", region: REGION };
  const of = { environmentId: environment.id, serverId, volumeId: volume.id, requestId: randomUUID() };
  return db.snapshot.create({ data: { accountId, providerId, ...of, ...complete, ...changes } });
}

describe("a new server", () => {
  it("accepts a flavor's `id` as well as its `api_name`", async () => {
    const { flavor } = await createdServer(await send({ flavor: "m3_medium" }));
    expect(flavor).toBe("m3.medium");
  });

  it("is accepted with its data volume and a Request that refers to it", async () => {
    const answer = await send();
    const server = await createdServer(answer);
    expect(answer.body.request.type).toBe("provision_server");
    expect(server).toMatchObject({ state: "pending", role: "app", location: ZONE, subnetId: null, region: REGION });
    expect(server.volumes).toMatchObject([
      { name: "data", mount: "/data", device: "/dev/xvdf", sizeGb: 25, volumeType: "gp3", iops: null, location: ZONE },
    ]);
    const shown = await owner.get(`/servers/${server.id}`);
    expect(shown.body.server).toMatchObject({ id: server.id, flavor: { id: "m3_medium" }, provisioned_id: null });
  });

  it("has the given volumes", async () => {
    const volumes = { volume_size: 100, iops: 2000, mnt_volume_size: 10 };
    const server = await createdServer(await send({ name: "worker", role: "util", ...volumes }));
    expect(server.volumes).toMatchObject([
      { mount: "/data", sizeGb: 100, volumeType: "io1", iops: 2000 },
      { mount: "/mnt", device: "/dev/xvdg", sizeGb: 10, volumeType: "gp3", iops: null },
    ]);
  });

  it("is spread over the subnets of the environment's network", async () => {
    const network = await createNetwork(db, provider);
    environment = await createEnvironment(db, provider, { networkId: network.id });
    const first = await createSubnet(db, network);
    const second = await createSubnet(db, network, { cidr: "10.0.1.0/24", location: "us-east-1b" });
    await createSubnet(db, network, { cidr: "10.0.2.0/24", provisionedId: null });
    await createSubnet(db, network, { cidr: "10.0.3.0/24", removalStartedAt: new Date() });
    const subnetIds = [];
    for (let n = 0; n < 4; n++) subnetIds.push((await createdServer(await send())).subnetId);
    expect(subnetIds.sort()).toEqual([first.id, first.id, second.id, second.id].sort());
    const chosen = await createdServer(await send({ subnet_id: second.id }));
    expect(chosen).toMatchObject({ subnetId: second.id, location: "us-east-1b", networkId: network.id });
  });

  it("is in a private subnet only if the input requests it, and has no address there", async () => {
    const network = await createNetwork(db, provider);
    environment = await createEnvironment(db, provider, { networkId: network.id });
    const hidden = await createSubnet(db, network, { private: true });
    expect((await send()).body.errors).toEqual([`network ${network.id} has no public subnet for servers`]);
    const open = await createSubnet(db, network, { cidr: "10.0.1.0/24" });
    for (let n = 0; n < 2; n++) expect((await createdServer(await send())).subnetId).toBe(open.id);
    expect((await createdServer(await send({ subnet_id: hidden.id }))).subnetId).toBe(hidden.id);
    const { id } = await createAddress();
    const addressed = { subnet_id: hidden.id, ip_id: id };
    await expectRefusal(db, () => send(addressed), "server.ip_id: a server in a private subnet cannot have an address");
  });

  it("has encrypted volumes if the environment requires them", async () => {
    environment = await createEnvironment(db, provider, { encryptedDatabaseEbs: true });
    expect((await createdServer(await send({ role: "db_master" }))).volumes).toMatchObject([{ encrypted: true }]);
    expect((await createdServer(await send())).volumes).toMatchObject([{ encrypted: false }]);
  });

  it("has encrypted volumes if the account requires them", async () => {
    const where = { id: owner.accountId };
    await db.account.update({ where, data: { requiresEncryption: true } });
    expect((await createdServer(await send({ mnt_volume_size: 10 }))).volumes).toMatchObject([
      { encrypted: true },
      { encrypted: true },
    ]);
    await db.account.update({ where, data: { requiresEncryption: false } });
  });

  it("has the requested CPU credits", async () => {
    const asked = { flavor: "t2.medium", cpu_credits: "unlimited" };
    expect(await createdServer(await send(asked))).toMatchObject({ cpuCredits: "unlimited" });
  });

  it("restores a snapshot of its region on a volume of sufficient size", async () => {
    const snapshot = await createSnapshot();
    const server = await createdServer(await send({}, { snapshot: snapshot.id }));
    expect(server.snapshotId).toBe(snapshot.id);
    expect(server.volumes).toMatchObject([{ fromSnapshot: "snap-1", sizeGb: 40 }]);
    const elsewhere = await createSnapshot({ region: OTHER_REGION });
    expect((await send({}, { snapshot: elsewhere.id })).status).toBe(422);
    const incomplete = await createSnapshot({ progress: 60 });
    expect((await send({}, { snapshot: incomplete.id })).status).toBe(409);
  });

  it("starts from the snapshot of a root disk, with a separate data volume", async () => {
    const { id } = await createSnapshot({ provisionedId: "snap-root" }, "/");
    const server = await createdServer(await send({ mnt_volume_size: 10 }, { snapshot: id }));
    expect(server.snapshotId).toBe(id);
    expect(server.volumes).toMatchObject([
      { mount: "/", device: "/dev/xvda", fromSnapshot: "snap-root", sizeGb: 40, volumeType: "gp3", iops: null },
      { mount: "/data", fromSnapshot: null, sizeGb: 25 },
      { mount: "/mnt", fromSnapshot: null, sizeGb: 10 },
    ]);
  });

  it("has one root disk in a plan, of the snapshot's size", async () => {
    const { id: snapshot } = await createSnapshot({}, "/");
    const before = await rowsOf();
    const { body } = await owner.post("/servers?dry_run=true", {
      environment: environment.id,
      snapshot,
      server: attributes,
    });
    expect(body.plan.resources[0].image_parameter).toBeUndefined();
    expect(body.plan.resources[0].volumes).toEqual([
      { name: "root", type: "gp3", size_gb: 40 },
      { name: "data", type: "gp3", size_gb: 25 },
    ]);
    expect(await rowsOf()).toEqual(before);
  });

  it("encrypts a root disk from a snapshot if the account requires it", async () => {
    const where = { id: owner.accountId };
    await db.account.update({ where, data: { requiresEncryption: true } });
    const { id: snapshot } = await createSnapshot({}, "/");
    const { volumes } = await createdServer(await send({}, { snapshot }));
    await db.account.update({ where, data: { requiresEncryption: false } });
    expect(volumes.map(({ mount, encrypted }) => [mount, encrypted])).toEqual([
      ["/", true],
      ["/data", true],
    ]);
  });

  it("is refused a root snapshot of another architecture, region or account, and one that is not complete or gone", async () => {
    const facts = { vcpus: 2, memoryMib: 4096, isBurstable: true, ebsOptimized: true };
    await db.instanceType.create({ data: { name: "m3.medium", architecture: "arm64", ...facts } });
    const { id: arm } = await createSnapshot({}, "/");
    const sentence = `server.flavor: m3.large has the architecture x86_64, but the root disk of snapshot ${arm} needs arm64`;
    await expectRefusal(db, () => send({ flavor: "m3.large" }, { snapshot: arm }), sentence);
    await db.instanceType.deleteMany({ where: { name: "m3.medium" } });
    const statusOf = async (changes: object) => {
      const { id: snapshot } = await createSnapshot(changes, "/");
      return (await send({}, { snapshot })).status;
    };
    expect(await statusOf({ region: OTHER_REGION })).toBe(422);
    expect(await statusOf({ progress: 60 })).toBe(409);
    expect(await statusOf({ provisionedId: null })).toBe(409);
    expect(await statusOf({ deletedAt: new Date() })).toBe(409);
    expect((await send({}, { snapshot: 2_000_000_000 })).status).toBe(404);
  });

  it("keeps the snapshot that it started from, also from the removal of the snapshot's environment", async () => {
    const { id: snapshot } = await createSnapshot({ provisionedId: "snap-kept" }, "/");
    const elsewhere = await createEnvironment(db, provider);
    const server = await createdServer(await send({}, { snapshot, environment: elsewhere.id }));
    const inUse = `is in use: server ${server.id} was started from it; remove the server first`;
    const remove = () => owner.delete(`/snapshots/${snapshot}`);
    await db.volume.updateMany({ where: { serverId: server.id }, data: { provisionedId: "vol-1" } });
    const refused = { status: 409, body: { errors: [`snapshot ${snapshot} ${inUse}`] } };
    expect(await remove()).toMatchObject(refused);
    const destroy = () => owner.delete(`/environments/${environment.id}`);
    refused.body.errors = [`a snapshot of environment ${environment.id} ${inUse}`];
    expect(await destroy()).toMatchObject(refused);
    const deletedAt = new Date();
    await db.volume.updateMany({ where: { serverId: server.id }, data: { deletedAt } });
    const { accountId, providerId, region, location } = server;
    const volume = await db.volume.create({
      data: { accountId, providerId, region, location, sizeGb: 40, fromSnapshot: "snap-kept" },
    });
    expect((await destroy()).body.errors).toEqual([
      `a snapshot of environment ${environment.id} is in use: volume ${volume.id} is being restored from it`,
    ]);
    await db.volume.update({ where: { id: volume.id }, data: { deletedAt } });
    expect((await destroy()).status).toBe(200);
    const late = await send({}, { snapshot, environment: elsewhere.id });
    expect([late.status, late.body.errors[0]]).toEqual([409, expect.stringContaining("destroy_environment")]);
    expect((await remove()).status).toBe(200);
  });

  it.each([
    ["without a flavor", { flavor: undefined }, "param is missing or the value is empty: server.flavor"],
    [
      "of an unknown flavor",
      { flavor: "x9.huge" },
      /server.flavor: x9.huge is not a known flavor; known flavors are m3.medium/,
    ],
    ["as a util without a name", { role: "util" }, "server.name: is required for a util server"],
    [
      "with more IOPS than there are",
      { volume_size: 200, iops: 80_001 },
      /^server\.iops: must be between 3000 and 80000/,
    ],
    [
      "with more IOPS than its size gives",
      { volume_size: 10, iops: 600 },
      /^server\.iops: must be at most 500 .*50 per/,
    ],
    [
      "with io1 smaller than AWS makes it",
      { volume_size: 3, iops: 100 },
      /^server\.volume_size: must be between 4 and/,
    ],
    ["with more at /mnt than AWS makes", { mnt_volume_size: 65_537 }, /^server\.mnt_volume_size: /],
    ["as a dedicated t2", { flavor: "t2.medium", dedicated: true }, /^server\.dedicated: AWS does not offer dedicated/],
    [
      "with CPU credits it has not",
      { cpu_credits: "unlimited" },
      /^server\.cpu_credits: m3\.medium does not use CPU credits/,
    ],
    ["with io1 and no IOPS", { volume_type: "io1" }, "server.volume_type: io1 requires iops"],
  ])("is refused %s", async (_what, change, sentence) => {
    await expectRefusal(db, () => send(change), sentence);
  });
});

describe("a server is refused", () => {
  it("beyond the region's limit, also in concurrent environments", async () => {
    await db.providerLocation.updateMany({
      where: { providerId: provider.id, locationId: REGION },
      data: { serverLimit: 2 },
    });
    await createdServer(await send());
    const { id: other } = await createEnvironment(db, provider);
    const answers = await Promise.all([send(), send({}, { environment: other })]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    const refused = answers.find(({ status }) => status === 409);
    expect(refused?.body.errors[0]).toContain("the limit of 2 servers in us-east-1");
  });

  it("if the environment already has a master", async () => {
    await createdServer(await send({ role: "app_master" }));
    expect((await send({ role: "app_master" })).status).toBe(409);
    expect((await send({ role: "solo" })).status).toBe(409);
    await createdServer(await send({ role: "db_master" }));
    expect((await send({ role: "db_master" })).status).toBe(409);
  });

  it("if its name is taken", async () => {
    await createdServer(await send({ role: "util", name: "jobs" }));
    const { status, body } = await send({ role: "util", name: "jobs" });
    expect([status, body.errors[0]]).toEqual([409, expect.stringContaining("already has a server with the name jobs")]);
  });

  it("if its network has no subnet", async () => {
    const network = await createNetwork(db, provider);
    environment = await createEnvironment(db, provider, { networkId: network.id });
    expect((await send()).body.errors).toEqual([`network ${network.id} has no public subnet for servers`]);
    expect(await rowsOf()).toEqual({ servers: 0, volumes: 0, requests: 0 });
  });

  it("in a subnet of another network", async () => {
    const network = await createNetwork(db, provider);
    const subnet = await createSubnet(db, network);
    expect((await send({ subnet_id: subnet.id })).status).toBe(422);
  });

  it("with an IAM role that is not usable", async () => {
    const role = await createRole();
    expect((await createdServer(await send({ iam_role_id: role.id }))).iamRoleId).toBe(role.id);
    expect((await send({ iam_role_id: (await createRole({ instanceProfile: false })).id })).status).toBe(422);
    expect((await send({ iam_role_id: (await createRole({ provisionedId: null })).id })).status).toBe(409);
    expect((await owner.delete(`/iam_roles/${role.id}`)).status).toBe(409);
  });

  it("with an address that is attached, in another region or reserved for another server", async () => {
    const address = await createAddress();
    const answer = await send({ ip_id: address.id });
    await createdServer(answer);
    const request = await db.request.findUniqueOrThrow({ where: { id: answer.body.request.id } });
    expect(request.input).toEqual({ addressId: address.id });
    expect((await send({ ip_id: address.id })).body.errors[0]).toContain("is reserved for request provision_server");
    expect((await send({ ip_id: (await createAddress({ location: OTHER_REGION })).id })).status).toBe(422);
    const { id: serverId } = await createServer(db, environment);
    expect((await send({ ip_id: (await createAddress({ serverId })).id })).status).toBe(409);
  });
});

describe("a running server", () => {
  it.each(["apply", "start", "stop", "reboot"])("accepts %s as a quiet request", async (action) => {
    const { id } = await createServer(db, environment);
    const { status, body } = await owner.post(`/servers/${id}/${action}`);
    expect(status).toBe(200);
    expect(body.request).toMatchObject({ type: "instance_update", stage: null, stages: null, resource: false });
    const request = await db.request.findUniqueOrThrow({ where: { id: body.request.id } });
    expect(request).toMatchObject({ input: { action }, resourceType: "server", resourceId: String(id) });
  });

  it("shows in a dry run what a stop or a start changes, with the flavor that waits for it", async () => {
    const planOf = async (action: string, changes: Parameters<typeof createServer>[2]) => {
      const { id } = await createServer(db, environment, { flavor: "t3.medium", ...changes });
      return (await owner.post(`/servers/${id}/${action}?dry_run=true`)).body.plan;
    };
    const stop = await planOf("stop", { state: "running" });
    expect(stop.changes).toMatchObject([{ field: "state", from: "running", to: "stopped" }]);
    expect(stop.changes[0].effect).toContain("is away until it is started");
    const pending = await planOf("stop", { state: "running", pendingFlavor: "t3.large" });
    expect(pending.changes[1]).toMatchObject({ field: "flavor", from: "t3.medium", to: "t3.large" });
    expect(pending.estimate).toMatchObject({ monthly_usd_change: 30.37 });
    const start = await planOf("start", { state: "stopped" });
    expect(start.changes).toMatchObject([{ field: "state", from: "stopped", to: "running" }]);
    expect((await planOf("start", { state: "running", pendingFlavor: "t3.large" })).changes ?? []).toEqual([]);
    expect((await planOf("reboot", { state: "running" })).changes).toBeUndefined();
  });

  it("is refused actions that its state forbids", async () => {
    const pending = await createServer(db, environment, { state: "pending", provisionedId: null });
    expect((await owner.post(`/servers/${pending.id}/apply`)).status).toBe(409);
    const stopped = await createServer(db, environment, { state: "stopped" });
    expect((await owner.post(`/servers/${stopped.id}/reboot`)).status).toBe(409);
    const gone = await createServer(db, environment, { state: "terminated", disappearedAt: new Date() });
    expect((await owner.post(`/servers/${gone.id}/start`)).status).toBe(409);
    expect((await owner.post(`/servers/${gone.id}/reconcile`)).body.request.type).toBe("discover_server");
  });

  it("is not stopped or rebooted as a member of a scaling group, which would replace it", async () => {
    const { id } = await createServer(db, environment, { autoScalingGroupId: randomUUID() });
    for (const action of ["stop", "reboot"]) {
      expect((await owner.post(`/servers/${id}/${action}`)).status).toBe(409);
    }
    expect((await owner.post(`/servers/${id}/start`)).status).toBe(200);
  });

  it("lists the messages of its requests", async () => {
    const { id } = await createServer(db, environment);
    const { body } = await owner.post(`/servers/${id}/apply`);
    const entry = { id: randomUUID(), requestId: body.request.id, stage: "update", message: "Created volume vol-1" };
    await db.requestMessage.create({ data: entry });
    const { events } = (await owner.get(`/servers/${id}/events`)).body;
    expect(events).toMatchObject([{ id: entry.id, message: entry.message }]);
    expect((await owner.get(`/servers/${id}/logs`)).body).toEqual({ logs: [] });
  });
});

describe("the removal of a server", () => {
  it("is refused for the last application server of an environment, unless forced", async () => {
    const master = await createServer(db, environment, { role: "app_master" });
    const other = await createServer(db, environment);
    await createServer(db, environment, { role: "db_master" });
    expect((await owner.delete(`/servers/${other.id}`)).body.request.type).toBe("deprovision_server");
    expect((await owner.delete(`/servers/${other.id}`)).status).toBe(409);
    const refused = await owner.delete(`/servers/${master.id}`);
    expect([refused.status, refused.body.errors[0]]).toEqual([409, expect.stringContaining("last application server")]);
    expect((await owner.delete(`/servers/${master.id}?force=true`)).status).toBe(200);
  });

  it("is accepted for one of the last two application servers when both are removed at once", async () => {
    const pairs = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const { id } = await createEnvironment(db, provider);
        const within = { ...environment, id };
        return [await createServer(db, within), await createServer(db, within)];
      }),
    );
    const answers = await Promise.all(
      pairs.map((pair) => Promise.all(pair.map(({ id }) => owner.delete(`/servers/${id}`)))),
    );
    const statuses = answers.map((both) => both.map(({ status }) => status).sort());
    expect(statuses).toEqual(pairs.map(() => [200, 409]));
  });

  it("is refused during a boot, and for servers of a scaling group", async () => {
    const scaled = await createServer(db, environment, { autoScalingGroupId: randomUUID() });
    expect((await owner.delete(`/servers/${scaled.id}?force=true`)).body.errors[0]).toContain("auto scaling group");
    const { id } = await createServer(db, environment, { provisionedId: null });
    const boot = { type: "start_environment", resourceType: "environment", resourceId: String(environment.id) };
    const open = { input: {}, traceId: "", deadlineAt: new Date() };
    await db.request.create({ data: { id: randomUUID(), accountId: owner.accountId, ...boot, ...open } });
    expect((await owner.delete(`/servers/${id}?force=true`)).status).toBe(409);
  });
});
