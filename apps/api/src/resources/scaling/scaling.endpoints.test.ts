import { randomUUID } from "node:crypto";
import type { Environment, Server } from "@gantry/db";
import {
  createEnvironment,
  createNetwork,
  createProvider,
  createServer,
  createSubnet,
  createVolume,
  REGION,
} from "@gantry/test/support/api";
import { endRequest, expectRefusal, resourcePath, startApiTest } from "@gantry/test/support/api-test";
import { recordOffers } from "@gantry/test/support/offers";

const { db, owner } = await startApiTest();
const provider = await createProvider(db, owner.accountId);
await db.providerLocation.updateMany({ where: { providerId: provider.id }, data: { serverLimit: 1000 } });

await db.instanceType.createMany({
  data: ["t3.medium", "t3.large"].map((name) => {
    return { name, vcpus: 2, memoryMib: 4096, architecture: "x86_64", isBurstable: true, ebsOptimized: true };
  }),
  skipDuplicates: true,
});
await recordOffers(db, provider, { compute: { "t3.medium": [`${REGION}a`], "t3.large": [`${REGION}a`] } });

let environment: Environment;
let master: Server;
let apps: Server[];
let util: Server;
beforeEach(async () => {
  environment = await createEnvironment(db, provider);
  const create = (changes: Parameters<typeof createServer>[2]) =>
    createServer(db, environment, { flavor: "t3.medium", location: `${REGION}a`, ...changes });
  master = await create({ role: "app_master" });
  apps = [await create({ role: "app" }), await create({ role: "app", flavor: "t3.large" })];
  util = await create({ role: "util", name: "jobs", tags: { team: "shop" } });
  for (const { id } of [...apps, util]) {
    const data = { name: "data", mount: "/data", sizeGb: 40, volumeType: "gp3", iops: 4000, throughput: 250 };
    await createVolume(db, provider, { serverId: id, device: "/dev/xvdf", ...data, fromSnapshot: "snap-1" });
    await createVolume(db, provider, {
      serverId: id,
      device: "/dev/xvdg",
      mount: "/mnt",
      sizeGb: 5,
      volumeType: "gp2",
    });
  }
});

const scale = (roles: object, more: object = {}, query = "") =>
  owner.post(`/environments/${environment.id}/scale${query}`, { environment: { roles, ...more } });
const inputOf = async (id: string) =>
  (await db.request.findUniqueOrThrow({ where: { id } })).input as Record<
    "addedServerIds" | "removedServerIds",
    number[]
  >;
const idsOf = (servers: Server[]) => servers.map(({ id }) => id);

it("adds copies of the newest running server of a role, with empty volumes", async () => {
  const { status, body } = await scale({ app: 3, util: 3 });
  expect([status, body.request?.type]).toEqual([200, "scale_environment"]);
  expect(resourcePath(body)).toBe(`/environments/${environment.id}`);
  const { addedServerIds, removedServerIds } = await inputOf(body.request.id);
  expect(removedServerIds).toEqual([]);
  const added = await db.server.findMany({
    where: { id: { in: addedServerIds } },
    orderBy: { id: "asc" },
    include: { volumes: { orderBy: { id: "asc" } } },
  });
  expect(added.map(({ role, name, flavor, tags, state }) => [role, name, flavor, tags, state])).toEqual([
    ["app", null, "t3.large", {}, "pending"],
    ["util", "util-1", "t3.medium", { team: "shop" }, "pending"],
    ["util", "util-2", "t3.medium", { team: "shop" }, "pending"],
  ]);
  for (const { volumes } of added)
    expect(volumes).toMatchObject([
      { mount: "/data", sizeGb: 40, volumeType: "gp3", iops: 4000, throughput: 250, fromSnapshot: null },
      { mount: "/mnt", sizeGb: 5, volumeType: "gp2", iops: null, throughput: null },
    ]);
});

it("removes the newest servers of a role, or those that are named", async () => {
  const first = await scale({ app: 1, util: 0 });
  expect(await inputOf(first.body.request.id)).toEqual({
    addedServerIds: [],
    removedServerIds: [apps[1]?.id, util.id],
  });
  await endRequest(db, first.body.request.id);
  const second = await scale({ app: 1 }, { remove: [apps[0]?.id] });
  expect((await inputOf(second.body.request.id)).removedServerIds).toEqual([apps[0]?.id]);
});

it("replaces a named server if the number wants it", async () => {
  const { body } = await scale({ app: 2 }, { remove: [apps[1]?.id] });
  const { addedServerIds, removedServerIds } = await inputOf(body.request.id);
  expect([addedServerIds.length, removedServerIds]).toEqual([1, [apps[1]?.id]]);
  expect((await db.server.findUniqueOrThrow({ where: { id: addedServerIds[0] as number } })).flavor).toBe("t3.medium");
});

it("adds to the private subnet with the fewest servers of the role, and to names that are free", async () => {
  const network = await createNetwork(db, provider);
  const subnet = (n: number) =>
    createSubnet(db, network, { private: true, cidr: `10.0.${n}.0/24`, location: `${REGION}a` });
  const [one, other] = [await subnet(1), await subnet(2)];
  const networkId = network.id;
  await db.environment.update({ where: { id: environment.id }, data: { networkId } });
  for (const [i, subnetId] of [one.id, other.id].entries())
    await db.server.update({
      where: { id: apps[i]?.id as number },
      data: { networkId, subnetId, name: `app-${2 * i + 1}` },
    });
  const { body } = await scale({ app: 4 });
  const { addedServerIds } = await inputOf(body.request.id);
  const added = await db.server.findMany({ where: { id: { in: addedServerIds } }, orderBy: { id: "asc" } });
  expect(added.map(({ name }) => name)).toEqual(["app-2", "app-4"]);
  expect(new Set(added.map(({ subnetId }) => subnetId))).toEqual(new Set([one.id, other.id]));
});

it("moves a named server to another subnet, of the environment's network", async () => {
  const network = await createNetwork(db, provider);
  const networkId = network.id;
  await db.environment.update({ where: { id: environment.id }, data: { networkId } });
  const subnet = await createSubnet(db, network, { location: `${REGION}a`, cidr: "10.0.3.0/24" });
  const moving = { remove: [util.id], subnet_id: subnet.id };
  const { body } = await scale({ util: 1 }, moving);
  const { addedServerIds, removedServerIds } = await inputOf(body.request.id);
  const added = await db.server.findUniqueOrThrow({ where: { id: addedServerIds[0] as number } });
  expect([removedServerIds, added.subnetId, added.location]).toEqual([[util.id], subnet.id, `${REGION}a`]);
  await endRequest(db, body.request.id);

  const refusal = async (id: string, roles: object = { app: 3 }) => {
    const { status, body } = await scale(roles, { subnet_id: id });
    return [status, body.errors[0]];
  };
  expect(await refusal(subnet.id, { app: 1 })).toEqual([422, expect.stringMatching(/subnet_id: no server is added/)]);
  const foreign = await createSubnet(db, await createNetwork(db, provider), { cidr: "10.0.4.0/24" });
  expect(await refusal(foreign.id)).toEqual([
    422,
    expect.stringMatching(/^environment.subnet_id: subnet .* is not in the network of environment/),
  ]);
  const elsewhere = await createSubnet(db, network, { location: `${REGION}b`, cidr: "10.0.5.0/24" });
  expect(await refusal(elsewhere.id)).toEqual([
    422,
    `environment.subnet_id: AWS offers t3.large in ${REGION}a, but not in ${REGION}b`,
  ]);
  await db.subnet.update({ where: { id: subnet.id }, data: { deletedAt: new Date() } });
  expect((await refusal(subnet.id))[0]).toBe(409);
});

describe("a dry run", () => {
  it("shows the new servers, the records that go with their volumes, and the difference in cost", async () => {
    const { plan } = (await scale({ app: 1, util: 2 }, {}, "?dry_run=true")).body;
    expect(plan.stages).toEqual(["add-servers", "remove-servers"]);
    expect(plan.resources).toMatchObject([{ kind: "server", count: 1, role: "util", flavor: "t3.medium" }]);
    const volumes = await db.volume.findMany({ where: { serverId: apps[1]?.id as number }, orderBy: { id: "asc" } });
    expect(plan.removes_records.map(({ type, id }: Record<string, string>) => `${type}/${id}`)).toEqual([
      `server/${apps[1]?.id}`,
      ...volumes.map(({ id }) => `volume/${id}`),
    ]);
    expect(plan.estimate.monthly_usd_change).toBeLessThan(0);
    expect(plan.estimate.monthly_usd).toBeGreaterThan(0);
    expect(await db.request.count({ where: { resourceId: String(environment.id) } })).toBe(0);
    expect(await db.server.count({ where: { environmentId: environment.id } })).toBe(4);
  });

  it("names nothing to remove for a growth, and nothing to create for a shrinking", async () => {
    const grows = (await scale({ util: 2 }, {}, "?dry_run=true")).body.plan;
    expect([grows.removes, grows.removes_records, grows.estimate.monthly_usd_change]).toEqual([
      [],
      undefined,
      grows.estimate.monthly_usd,
    ]);
    const shrinks = (await scale({ util: 0 }, {}, "?dry_run=true")).body.plan;
    expect([shrinks.creates, shrinks.resources, shrinks.estimate.monthly_usd]).toEqual([[], [], 0]);
    expect(shrinks.estimate.monthly_usd_change).toBeLessThan(0);
  });
});

describe("refuses and writes nothing", () => {
  const foreign = async () => createServer(db, await createEnvironment(db, provider));
  it.each<[string, object, () => Promise<object> | object, RegExp]>([
    ["the numbers that there are", { app: 2 }, () => ({}), /already has these numbers of servers/],
    ["no role at all", {}, () => ({}), /already has these numbers of servers/],
    ["a role without servers", { db_slave: 1 }, () => ({}), /roles\.db_slave: .* those that it has are app, util/],
    ["a master", { app_master: 2 }, () => ({}), /unpermitted parameters: .*app_master/],
    ["too many servers", { app: 101 }, () => ({}), /roles\.app/],
    [
      "another environment's server",
      { app: 1 },
      async () => ({ remove: [(await foreign()).id] }),
      /remove: server \d+ is not/,
    ],
    ["a server of a role without a number", { app: 1 }, () => ({ remove: [util.id] }), /role util, for which/],
    ["a master to remove", { app: 1 }, () => ({ remove: [master.id] }), /role app_master, for which/],
  ])("%s", async (_name, roles, more, sentence) => {
    const rest = await more();
    await expectRefusal(db, () => scale(roles, rest), sentence);
  });

  it("the removal of the last application server", async () => {
    await db.server.update({ where: { id: master.id }, data: { deletedAt: new Date() } });
    const { status, body } = await scale({ app: 0 });
    expect([status, body.errors[0]]).toEqual([409, expect.stringMatching(/is the last application server/)]);
    expect((await scale({ app: 1 })).status).toBe(200);
  });

  it("a growth without a running server to copy", async () => {
    await db.server.updateMany({ where: { id: { in: idsOf(apps) } }, data: { state: "stopped" } });
    const { status, body } = await scale({ app: 3 });
    expect([status, body.blocking.length]).toEqual([409, 2]);
  });

  it("more servers than the region's limit", async () => {
    const where = { providerId: provider.id };
    await db.providerLocation.updateMany({ where, data: { serverLimit: 1 } });
    expect((await scale({ app: 5 })).body.errors[0]).toMatch(/3 more are needed/);
    await db.providerLocation.updateMany({ where, data: { serverLimit: 1000 } });
  });
});

it("leaves the members of a scaling group alone", async () => {
  const { accountId, id: environmentId } = environment;
  const group = { id: randomUUID(), accountId, environmentId, providerId: provider.id, region: REGION };
  const sizes = { minimumSize: 1, maximumSize: 2, desiredCapacity: 1 };
  await db.autoScalingGroup.create({ data: { ...group, ...sizes } });
  await db.server.update({ where: { id: apps[1]?.id as number }, data: { autoScalingGroupId: group.id } });
  expect((await scale({ app: 0 }, { remove: [apps[1]?.id] })).body.errors[0]).toMatch(/belongs to a scaling group/);
  const { body } = await scale({ app: 0 });
  expect((await inputOf(body.request.id)).removedServerIds).toEqual([apps[0]?.id]);
});

it("waits for nothing: boots, scalings, removals and Requests on a server that goes refuse it, and it refuses them", async () => {
  const { body } = await scale({ app: 1 });
  const blocking = [expect.stringContaining(`/requests/${body.request.id}`)];
  const refusals = [
    await scale({ util: 0 }),
    await owner.post(`/environments/${environment.id}/deprovision`),
    await owner.post(`/environments/${environment.id}/apply`),
    await owner.delete(`/environments/${environment.id}`),
    await owner.delete(`/servers/${util.id}`),
    await owner.post(`/servers/${apps[1]?.id}/reboot`),
    await owner.post(`/servers/${apps[1]?.id}/snapshot`),
  ];
  for (const { status, body } of refusals) expect([status, body.blocking]).toEqual([409, blocking]);
  // A server that stays is not concerned.
  const reboot = await owner.post(`/servers/${apps[0]?.id}/reboot`);
  expect(reboot.status).toBe(200);
  await endRequest(db, body.request.id);
  const again = await scale({ app: 0 });
  expect([again.status, again.body.blocking]).toEqual([
    409,
    [expect.stringContaining(`/requests/${reboot.body.request.id}`)],
  ]);
});

it("does not count servers that are being removed", async () => {
  await owner.delete(`/servers/${apps[1]?.id}`);
  const { body } = await scale({ app: 2 });
  expect(await inputOf(body.request.id)).toMatchObject({ addedServerIds: [expect.any(Number)], removedServerIds: [] });
});

it("accepts one of several concurrent scalings", async () => {
  const answers = await Promise.all(Array.from({ length: 4 }, () => scale({ app: 3, util: 0 })));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
  expect(await db.server.count({ where: { environmentId: environment.id } })).toBe(5);
});

it("lets either a scaling or a concurrent Request on a server that goes win", async () => {
  const [scaled, rebooted] = await Promise.all([scale({ util: 0 }), owner.post(`/servers/${util.id}/reboot`)]);
  expect([scaled.status, rebooted.status].sort()).toEqual([200, 409]);
});

it("refuses to retry a scaling", async () => {
  const { body } = await scale({ app: 3 });
  const data = { startedAt: new Date(), finishedAt: new Date(), successful: false, message: "no" };
  await db.request.update({ where: { id: body.request.id }, data });
  const retried = await owner.post(`/requests/${body.request.id}/retry`);
  expect(retried.body.errors).toEqual([
    "a request of type scale_environment cannot be retried; scale the environment again",
  ]);
});
