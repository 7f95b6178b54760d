import { randomUUID } from "node:crypto";
import type { Environment } from "@gantry/db";
import {
  createAddress,
  createCaller,
  createEnvironment,
  createProvider,
  createServer,
  OTHER_REGION,
  REGION,
} from "@gantry/test/support/api";
import { endRequest, expectRefusal, resourcePath, startApiTest } from "@gantry/test/support/api-test";

const { api, db, owner, provider } = await startApiTest();
await db.providerLocation.updateMany({ where: { providerId: provider.id }, data: { serverLimit: 1000 } });
let environment: Environment;
beforeEach(async () => {
  environment = await createEnvironment(db, provider);
});

const boot = (configuration: object, more: object = {}, query = "") =>
  owner.post(`/environments/${environment.id}/boot${query}`, { cluster_configuration: { configuration, ...more } });
const servers = () =>
  db.server.findMany({ where: { environmentId: environment.id }, orderBy: { id: "asc" }, include: { volumes: true } });

const CUSTOM = {
  type: "custom",
  apps: { count: 2, flavor: "m3.large", volume_size: "30", mnt_volume_size: "10" },
  db_master: { flavor: "r3.large", volume_size: "50", iops: "2000" },
  db_slaves: [{ name: "reports", flavor: "r3.large" }],
  utils: [{ name: "jobs", flavor: "c4.large", volume_size: "20", mnt_volume_size: "5", iops: "500" }],
};

it.each([
  ["solo", ["solo"]],
  ["cluster", ["app_master", "app", "db_master"]],
  ["production", ["app_master", "app", "app", "db_master", "db_slave"]],
  ["production-cluster", ["app_master", "app", "app", "db_master", "db_slave"]],
])("boots the configuration %s with its servers in one Request", async (type, roles) => {
  const { status, body } = await boot({ type });
  expect(status).toBe(200);
  expect(body.request).toMatchObject({ type: "start_environment", successful: false });
  expect(resourcePath(body)).toBe(`/environments/${environment.id}`);
  const created = await servers();
  expect(created.map(({ role }) => role)).toEqual(roles);
  expect(created.map(({ flavor }) => flavor)).toEqual(roles.map(() => "m3.medium"));
  expect(created.flatMap(({ volumes }) => volumes.map(({ sizeGb }) => sizeGb))).toEqual(roles.map(() => 25));
  const { input } = await db.request.findUniqueOrThrow({ where: { id: body.request.id } });
  expect(input).toEqual({ serverIds: created.map(({ id }) => id), addressId: null });
});

it("boots a custom configuration with its sizes, flavors and names", async () => {
  expect((await boot(CUSTOM)).status).toBe(200);
  const created = (await servers()).map(({ role, name, flavor, volumes }) => {
    return [role, name, flavor, volumes.map(({ mount, sizeGb, iops }) => [mount, sizeGb, iops])];
  });
  const app = [
    ["/data", 30, null],
    ["/mnt", 10, null],
  ];
  const [data, mnt] = [
    ["/data", 20, 500],
    ["/mnt", 5, null],
  ];
  expect(created).toEqual([
    ["app_master", null, "m3.large", app],
    ["app", null, "m3.large", app],
    ["db_master", null, "r3.large", [["/data", 50, 2000]]],
    ["db_slave", "reports", "r3.large", [["/data", 25, null]]],
    ["util", "jobs", "c4.large", [data, mnt]],
  ]);
});

it("accepts IOPS above the maximum; the Request then fails with the reason that a dry run shows", async () => {
  const configuration = { ...CUSTOM, db_master: { flavor: "r3.large", iops: "5000" } };
  const { body } = await boot(configuration, {}, "?dry_run=true");
  expect(body.plan.warnings).toEqual(["Volume IOPS limit exceeded: the maximum is 4000, and 5000 was asked for"]);
  expect((await boot(CUSTOM, {}, "?dry_run=true")).body.plan).not.toHaveProperty("warnings");
  expect((await boot(configuration)).status).toBe(200);
});

it.each([
  ["an unknown type", { type: "huge" }, /configuration/],
  ["no application server", { ...CUSTOM, apps: { count: 0 } }, /apps\.count/],
  [
    "an unknown flavor",
    { ...CUSTOM, apps: { count: 1, flavor: "x9.huge" } },
    /apps\.flavor: x9.huge is not a known flavor; known flavors are m3.medium, m3.large/,
  ],
  ["a size that is no number", { ...CUSTOM, apps: { count: 1, volume_size: "much" } }, /volume_size/],
  ["a size of nothing", { ...CUSTOM, apps: { count: 1, volume_size: "0" } }, /volume_size/],
  ["a utility server without a name", { ...CUSTOM, utils: [{ flavor: "m3.medium" }] }, /utils\.0\.name/],
  ["two servers of one name", { ...CUSTOM, utils: [CUSTOM.utils[0], CUSTOM.utils[0]] }, /jobs is used more than once/],
  [
    "IOPS that its size does not carry",
    { ...CUSTOM, db_master: { flavor: "r3.large", volume_size: "10", iops: "600" } },
    /db_master\.iops: must be at most 500 for a volume of type io1 with 10 GB/,
  ],
  ["an unknown key", { type: "solo", size: 1 }, /unpermitted parameters: .*size/],
])("refuses %s and writes nothing", async (_name, configuration, sentence) => {
  await expectRefusal(db, () => boot(configuration), sentence);
  expect(await servers()).toEqual([]);
});

it("accepts either a blueprint or a configuration", async () => {
  const path = `/environments/${environment.id}/boot`;
  for (const cluster_configuration of [{}, { blueprint_id: randomUUID(), configuration: { type: "solo" } }]) {
    const { status, body } = await owner.post(path, { cluster_configuration });
    expect([status, body.errors[0]]).toEqual([
      422,
      "cluster_configuration: must have either a blueprint_id or a configuration",
    ]);
  }
});

it("answers the boot of a blueprint with an empty object and a link to its Request, also when repeated", async () => {
  const { accountId } = owner;
  const written = [{ role: "solo", flavor: "c4.large", volumeSizeGb: 40 }];
  const { id: blueprint_id } = await db.blueprint.create({
    data: { id: randomUUID(), accountId, environmentId: environment.id, name: "small", servers: written },
  });
  const send = () =>
    owner
      .post(`/environments/${environment.id}/boot`, { cluster_configuration: { blueprint_id, configuration: {} } })
      .set("Idempotency-Key", blueprint_id);
  const first = await send();
  expect([first.status, first.body]).toEqual([200, {}]);
  const [, requestId] = /requests\/([^>]+)>; rel="monitor"/.exec(first.headers.link ?? "") ?? [];
  expect((await owner.get(`/requests/${requestId}`)).body.request.type).toBe("start_environment");
  expect(await servers()).toMatchObject([{ role: "solo", flavor: "c4.large", volumes: [{ sizeGb: 40 }] }]);
  expect((await send()).body).toEqual({});
  expect(await servers()).toHaveLength(1);
});

it("gives only the first server a free address of its region", async () => {
  const address = (changes: object = {}) => createAddress(db, provider, changes);
  const attached = await address({
    serverId: (await createServer(db, await createEnvironment(db, provider))).id,
  });
  const far = await address({ location: OTHER_REGION });
  const free = await address();
  expect((await boot({ type: "solo" }, { ip_id: attached.id })).status).toBe(409);
  expect((await boot({ type: "solo" }, { ip_id: far.id })).status).toBe(422);
  expect((await boot({ type: "solo" }, { ip_id: 999_999 })).status).toBe(404);
  const { body } = await boot({ type: "solo", ip_id: free.id });
  const { input } = await db.request.findUniqueOrThrow({ where: { id: body.request.id } });
  expect(input).toMatchObject({ addressId: free.id });
  const { id: reservedBy } = body.request;
  environment = await createEnvironment(db, provider);
  const refused = await boot({ type: "solo", ip_id: free.id });
  expect([refused.status, refused.body.errors]).toEqual([
    409,
    [`address ${free.id} is reserved for request start_environment ${reservedBy}`],
  ]);
});

it("refuses a second boot, a boot with servers, and a removal during another", async () => {
  const first = await boot({ type: "solo" });
  const second = await boot({ type: "solo" });
  expect([second.status, second.body.errors[0]]).toEqual([
    409,
    `environment ${environment.id} has an unfinished request: start_environment ${first.body.request.id}`,
  ]);
  const data = { finishedAt: new Date(), successful: true };
  await db.request.update({ where: { id: first.body.request.id }, data });
  expect((await boot({ type: "solo" })).body.errors[0]).toMatch(/already has servers/);
  expect((await owner.post(`/environments/${environment.id}/deprovision`)).body.request).toMatchObject({
    type: "deprovision_environment",
  });
  expect((await owner.delete(`/environments/${environment.id}`)).status).toBe(409);
});

it("accepts one of several concurrent boots", async () => {
  const answers = await Promise.all(Array.from({ length: 6 }, () => boot({ type: "cluster" })));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(await servers()).toHaveLength(3);
});

it("keeps the region's limit of servers", async () => {
  const where = { providerId: provider.id, locationId: REGION };
  const existing = await db.server.count({ where: { providerId: provider.id, deletedAt: null } });
  await db.providerLocation.updateMany({ where, data: { serverLimit: existing + 2 } });
  const { status, body } = await boot({ type: "cluster" });
  expect([status, body.errors[0]]).toEqual([409, expect.stringContaining("3 more are needed")]);
  await db.providerLocation.updateMany({ where, data: { serverLimit: 1000 } });
});

it("refuses to retry a boot", async () => {
  const { body } = await boot({ type: "solo" });
  const data = { startedAt: new Date(), finishedAt: new Date(), successful: false, message: "no" };
  await db.request.update({ where: { id: body.request.id }, data });
  const retried = await owner.post(`/requests/${body.request.id}/retry`);
  expect([retried.status, retried.body.errors[0]]).toEqual([
    409,
    "a request of type start_environment cannot be retried; boot the environment again",
  ]);
});

it("removes an environment once, with a Request that still refers to it", async () => {
  const { body } = await owner.delete(`/environments/${environment.id}`);
  expect(body.request).toMatchObject({ type: "destroy_environment" });
  expect(resourcePath(body)).toBe(`/environments/${environment.id}`);
  await endRequest(db, body.request.id);
  await db.environment.update({ where: { id: environment.id }, data: { deletedAt: new Date() } });
  expect((await owner.delete(`/environments/${environment.id}`)).body.errors[0]).toMatch(/already deleted/);
  expect((await owner.post(`/environments/${environment.id}/deprovision`)).status).toBe(409);
});

it("assigns the provider and a firewall at the first boot of an environment that is older than its provider", async () => {
  const late = await createCaller(api);
  const created = await late.post(`/accounts/${late.accountId}/environments`, { environment: { name: "early" } });
  const { id } = created.body.environment;
  const boot = (query = "") =>
    late.post(`/environments/${id}/boot${query}`, { cluster_configuration: { configuration: { type: "solo" } } });
  expect((await boot()).body.errors).toEqual([`environment ${id} has no provider`]);
  const first = await createProvider(db, late.accountId);
  await createProvider(db, late.accountId);
  expect((await boot("?dry_run=true")).status).toBe(200);
  expect(await db.firewall.count({ where: { environmentId: id } })).toBe(0);
  expect((await boot()).status).toBe(200);
  const row = await db.environment.findUniqueOrThrow({ where: { id }, include: { firewalls: true, servers: true } });
  expect(row).toMatchObject({
    providerId: first.id,
    firewalls: [{ providerId: first.id, name: `environment-${id}` }],
    servers: [{ providerId: first.id }],
  });
});
