import { randomUUID } from "node:crypto";
import type { Environment, Provider } from "@gantry/db";
import {
  countRows,
  createCaller,
  createEnvironment,
  createProvider,
  createServer,
  OTHER_REGION,
  REGION,
  startTestApi,
  type TestApi,
  type TestCaller,
} from "@gantry/test/support/api";
import { afterAll, beforeAll, beforeEach, expect, it } from "@jest/globals";

let api: TestApi;
let owner: TestCaller;
let provider: Provider;
let environment: Environment;

beforeAll(async () => {
  api = await startTestApi();
  owner = await createCaller(api);
  provider = await createProvider(api.db, owner.accountId);
  await api.db.providerLocation.updateMany({ where: { providerId: provider.id }, data: { serverLimit: 1000 } });
});
beforeEach(async () => {
  environment = await createEnvironment(api.db, provider);
});
afterAll(() => api.close());

const boot = (configuration: object, more: object = {}) =>
  owner.post(`/environments/${environment.id}/boot`, { cluster_configuration: { configuration, ...more } });
const servers = () =>
  api.db.server.findMany({
    where: { environmentId: environment.id },
    orderBy: { id: "asc" },
    include: { volumes: true },
  });

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
])("boots the configuration %s with its servers in one Request", async (type, roles) => {
  const { status, body } = await boot({ type });
  expect(status).toBe(200);
  expect(body.request).toMatchObject({ type: "start_environment", successful: false });
  expect(new URL(body.request.resource).pathname).toBe(`/environments/${environment.id}`);
  const made = await servers();
  expect(made.map(({ role }) => role)).toEqual(roles);
  expect(made.map(({ flavor }) => flavor)).toEqual(roles.map(() => "m3.medium"));
  expect(made.flatMap(({ volumes }) => volumes.map(({ sizeGb }) => sizeGb))).toEqual(roles.map(() => 25));
  const { input } = await api.db.request.findUniqueOrThrow({ where: { id: body.request.id } });
  expect(input).toEqual({ serverIds: made.map(({ id }) => id), addressId: null });
});

it("boots a custom configuration with every size, flavor and name that it gives", async () => {
  expect((await boot(CUSTOM)).status).toBe(200);
  const made = (await servers()).map(({ role, name, flavor, volumes }) => {
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
  expect(made).toEqual([
    ["app_master", null, "m3.large", app],
    ["app", null, "m3.large", app],
    ["db_master", null, "r3.large", [["/data", 50, 2000]]],
    ["db_slave", "reports", "r3.large", [["/data", 25, null]]],
    ["util", "jobs", "c4.large", [data, mnt]],
  ]);
});

it("accepts IOPS beyond the maximum, since the Request says what is wrong with them", async () => {
  const { status } = await boot({ ...CUSTOM, db_master: { flavor: "r3.large", iops: "5000" } });
  expect(status).toBe(200);
});

it.each([
  ["an unknown type", { type: "huge" }, /configuration/],
  ["no application server", { ...CUSTOM, apps: { count: 0 } }, /apps\.count/],
  ["an unknown flavor", { ...CUSTOM, apps: { count: 1, flavor: "x9.huge" } }, /apps\.flavor: is not a known flavor/],
  ["a size that is no number", { ...CUSTOM, apps: { count: 1, volume_size: "much" } }, /volume_size/],
  ["a size of nothing", { ...CUSTOM, apps: { count: 1, volume_size: "0" } }, /volume_size/],
  ["a utility server without a name", { ...CUSTOM, utils: [{ flavor: "m3.medium" }] }, /utils\.0\.name/],
  ["two servers of one name", { ...CUSTOM, utils: [CUSTOM.utils[0], CUSTOM.utils[0]] }, /jobs is given twice/],
  ["an unknown key", { type: "solo", size: 1 }, /unpermitted parameters: .*size/],
])("refuses %s and makes nothing", async (_name, configuration, sentence) => {
  const before = await countRows(api.db);
  const { status, body } = await boot(configuration);
  expect([status, body.errors.join("; ")]).toEqual([422, expect.stringMatching(sentence)]);
  expect(await countRows(api.db)).toEqual(before);
  expect(await servers()).toEqual([]);
});

it("plans a boot with the Requests that it would open, and makes nothing", async () => {
  const before = await countRows(api.db);
  const { body } = await owner.post(`/environments/${environment.id}/boot?dry_run=true`, {
    cluster_configuration: { configuration: { type: "cluster" } },
  });
  expect(body.plan).toMatchObject({
    stages: ["start", "wait-for-instance-updates"],
    requests: ["start_environment", "provision_default_firewall", "provision_server", "instance_update"],
  });
  expect(await countRows(api.db)).toEqual(before);
});

it("takes either a blueprint or a configuration", async () => {
  const path = `/environments/${environment.id}/boot`;
  for (const cluster_configuration of [{}, { blueprint_id: randomUUID(), configuration: { type: "solo" } }]) {
    const { status, body } = await owner.post(path, { cluster_configuration });
    expect([status, body.errors[0]]).toEqual([
      422,
      "cluster_configuration: takes either a blueprint_id or a configuration",
    ]);
  }
});

it("answers a blueprint with an empty object, links to its Request, and repeats that for the same key", async () => {
  const { accountId } = owner;
  const written = [{ role: "solo", flavor: "c4.large", volumeSizeGb: 40 }];
  const { id: blueprint_id } = await api.db.blueprint.create({
    data: { id: randomUUID(), accountId, environmentId: environment.id, name: "small", servers: written },
  });
  const ask = () =>
    owner
      .post(`/environments/${environment.id}/boot`, { cluster_configuration: { blueprint_id } })
      .set("Idempotency-Key", blueprint_id);
  const first = await ask();
  expect([first.status, first.body]).toEqual([200, {}]);
  const [, requestId] = /requests\/([^>]+)>; rel="monitor"/.exec(first.headers.link ?? "") ?? [];
  expect((await owner.get(`/requests/${requestId}`)).body.request.type).toBe("start_environment");
  expect(await servers()).toMatchObject([{ role: "solo", flavor: "c4.large", volumes: [{ sizeGb: 40 }] }]);
  expect((await ask()).body).toEqual({});
  expect(await servers()).toHaveLength(1);
  const stranger = await createCaller(api);
  const own = await createEnvironment(api.db, await createProvider(api.db, stranger.accountId));
  const theirs = await stranger.post(`/environments/${own.id}/boot`, { cluster_configuration: { blueprint_id } });
  expect(theirs.status).toBe(404);
});

it("gives the first server an address that is free and in its region", async () => {
  const address = (changes: object) =>
    api.db.address.create({
      data: {
        accountId: owner.accountId,
        providerId: provider.id,
        location: REGION,
        provisionedId: "eipalloc-1",
        ...changes,
      },
    });
  const attached = await address({
    serverId: (await createServer(api.db, await createEnvironment(api.db, provider))).id,
  });
  const far = await address({ location: OTHER_REGION });
  const free = await address({});
  expect((await boot({ type: "solo" }, { ip_id: attached.id })).status).toBe(409);
  expect((await boot({ type: "solo" }, { ip_id: far.id })).status).toBe(422);
  expect((await boot({ type: "solo" }, { ip_id: 999_999 })).status).toBe(404);
  const { body } = await boot({ type: "solo", ip_id: free.id });
  const { input } = await api.db.request.findUniqueOrThrow({ where: { id: body.request.id } });
  expect(input).toMatchObject({ addressId: free.id });
  const { id: promisedTo } = body.request;
  environment = await createEnvironment(api.db, provider);
  const refused = await boot({ type: "solo", ip_id: free.id });
  expect([refused.status, refused.body.errors]).toEqual([
    409,
    [`the address ${free.id} is reserved for the request start_environment ${promisedTo}`],
  ]);
});

it("does not boot twice, nor while it is taken down, nor with servers in it", async () => {
  const first = await boot({ type: "solo" });
  const second = await boot({ type: "solo" });
  expect([second.status, second.body.errors[0]]).toEqual([
    409,
    `the environment ${environment.id} has an open request: start_environment ${first.body.request.id}`,
  ]);
  const data = { finishedAt: new Date(), successful: true };
  await api.db.request.update({ where: { id: first.body.request.id }, data });
  expect((await boot({ type: "solo" })).body.errors[0]).toMatch(/holds servers already/);
  expect((await owner.post(`/environments/${environment.id}/deprovision`)).body.request).toMatchObject({
    type: "deprovision_environment",
  });
  expect((await owner.delete(`/environments/${environment.id}`)).status).toBe(409);
});

it("of many boots at once accepts one", async () => {
  const answers = await Promise.all(Array.from({ length: 6 }, () => boot({ type: "cluster" })));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(await servers()).toHaveLength(3);
});

it("holds to the region's limit of servers", async () => {
  const where = { providerId: provider.id, locationId: REGION };
  const living = await api.db.server.count({ where: { providerId: provider.id, deletedAt: null } });
  await api.db.providerLocation.updateMany({ where, data: { serverLimit: living + 2 } });
  const { status, body } = await boot({ type: "cluster" });
  expect([status, body.errors[0]]).toEqual([409, expect.stringContaining("leaves no room for 3 more")]);
  await api.db.providerLocation.updateMany({ where, data: { serverLimit: 1000 } });
});

it("cannot be retried: another boot says what is wanted", async () => {
  const { body } = await boot({ type: "solo" });
  const data = { startedAt: new Date(), finishedAt: new Date(), successful: false, message: "no" };
  await api.db.request.update({ where: { id: body.request.id }, data });
  const retried = await owner.post(`/requests/${body.request.id}/retry`);
  expect([retried.status, retried.body.errors[0]]).toEqual([
    409,
    "a request of type start_environment is not retried; boot the environment again",
  ]);
});

it("removes an environment once, with a Request that still names it", async () => {
  const { body } = await owner.delete(`/environments/${environment.id}`);
  expect(body.request).toMatchObject({ type: "destroy_environment" });
  expect(new URL(body.request.resource).pathname).toBe(`/environments/${environment.id}`);
  await api.db.request.update({ where: { id: body.request.id }, data: { finishedAt: new Date(), successful: true } });
  await api.db.environment.update({ where: { id: environment.id }, data: { deletedAt: new Date() } });
  expect((await owner.delete(`/environments/${environment.id}`)).body.errors[0]).toMatch(/already deleted/);
  expect((await owner.post(`/environments/${environment.id}/deprovision`)).status).toBe(409);
});

it("is closed to strangers and viewers", async () => {
  const stranger = await createCaller(api);
  const viewer = await createCaller(api, { accountId: owner.accountId, role: "viewer" });
  const body = { cluster_configuration: { configuration: { type: "solo" } } };
  for (const [caller, wanted] of [
    [stranger, 404],
    [viewer, 403],
  ] as const) {
    expect((await caller.post(`/environments/${environment.id}/boot`, body)).status).toBe(wanted);
    expect((await caller.post(`/environments/${environment.id}/deprovision`)).status).toBe(wanted);
    expect((await caller.delete(`/environments/${environment.id}`)).status).toBe(wanted);
  }
});

it("takes the provider that came after it, with the firewall that goes with it, when it is first booted", async () => {
  const late = await createCaller(api);
  const made = await late.post(`/accounts/${late.accountId}/environments`, { environment: { name: "early" } });
  const { id } = made.body.environment;
  const boot = (query = "") =>
    late.post(`/environments/${id}/boot${query}`, { cluster_configuration: { configuration: { type: "solo" } } });
  expect((await boot()).body.errors).toEqual([`the environment ${id} has no provider`]);
  const first = await createProvider(api.db, late.accountId);
  await createProvider(api.db, late.accountId);
  expect((await boot("?dry_run=true")).status).toBe(200);
  expect(await api.db.firewall.count({ where: { environmentId: id } })).toBe(0);
  expect((await boot()).status).toBe(200);
  const row = await api.db.environment.findUniqueOrThrow({
    where: { id },
    include: { firewalls: true, servers: true },
  });
  expect(row).toMatchObject({
    providerId: first.id,
    firewalls: [{ providerId: first.id, name: `environment-${id}` }],
    servers: [{ providerId: first.id }],
  });
});
