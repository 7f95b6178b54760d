import { randomUUID } from "node:crypto";
import type { Environment, Provider } from "@gantry/db";
import {
  countRows,
  createCaller,
  createEnvironment,
  createProvider,
  createServer,
  REGION,
  startTestApi,
  type TestApi,
  type TestCaller,
  ZONE,
} from "@gantry/test/support/api";
import { afterAll, beforeAll, expect, it } from "@jest/globals";

let api: TestApi;
let owner: TestCaller;
let provider: Provider;
let environment: Environment;

beforeAll(async () => {
  api = await startTestApi();
  owner = await createCaller(api);
  provider = await createProvider(api.db, owner.accountId);
  environment = await createEnvironment(api.db, provider);
  const volume = { accountId: owner.accountId, providerId: provider.id, region: REGION, location: ZONE };
  const master = await createServer(api.db, environment, { role: "db_master", flavor: "c4.large", dedicated: true });
  const disk = { ...volume, serverId: master.id };
  const data = { mount: "/data", device: "/dev/xvdf", sizeGb: 100, volumeType: "io1", iops: 2000 };
  await api.db.volume.create({ data: { ...disk, ...data } });
  await api.db.volume.create({ data: { ...disk, mount: "/mnt", device: "/dev/xvdg", sizeGb: 10 } });
  await createServer(api.db, environment, { role: "util", name: "queue" });
  await createServer(api.db, environment, { role: "app", deletedAt: new Date() });
});
afterAll(() => api.close());

const wanted = (name: unknown = "small") => ({ blueprint: { name } });
const write = (name?: unknown, id = environment.id, by = owner) =>
  by.post(`/environments/${id}/blueprints`, wanted(name));
const ids = ({ body }: { body: { blueprints: { id: string }[] } }) => body.blueprints.map(({ id }) => id);

it("writes down an environment's living servers, with which the like is booted", async () => {
  const { status, body } = await write();
  expect([status, Object.keys(body)]).toEqual([201, ["blueprint"]]);
  expect(body.blueprint).toMatchObject({
    name: "small",
    environment: `http://gantry.test/environments/${environment.id}`,
    servers: [
      {
        role: "db_master",
        flavor: "c4.large",
        name: null,
        dedicated: true,
        volume_size: 100,
        mnt_volume_size: 10,
        iops: 2000,
        volume_type: "io1",
      },
      { role: "util", flavor: "m3.medium", name: "queue", dedicated: false, volume_size: null, iops: null },
    ],
  });
  const other = await createEnvironment(api.db, provider);
  const cluster_configuration = { blueprint_id: body.blueprint.id };
  expect((await owner.post(`/environments/${other.id}/boot`, { cluster_configuration })).status).toBe(200);
  const booted = await api.db.server.findMany({
    where: { environmentId: other.id },
    include: { volumes: { orderBy: { id: "asc" } } },
    orderBy: { id: "asc" },
  });
  expect(booted).toMatchObject([
    {
      role: "db_master",
      flavor: "c4.large",
      dedicated: true,
      volumes: [
        { mount: "/data", sizeGb: 100, iops: 2000, volumeType: "io1" },
        { mount: "/mnt", sizeGb: 10 },
      ],
    },
    { role: "util", name: "queue", volumes: [{ mount: "/data" }] },
  ]);
});

it("is not written of an environment without servers, nor without a name", async () => {
  const bare = await createEnvironment(api.db, provider);
  const before = await countRows(api.db);
  expect((await write("x", bare.id)).body.errors).toEqual([`the environment ${bare.id} has no servers to save`]);
  for (const name of [null, "", 7]) expect((await write(name)).status).toBe(422);
  const more = { blueprint: { name: "x", servers: [] } };
  expect((await owner.post(`/environments/${environment.id}/blueprints`, more)).body.unpermitted).toEqual([
    "blueprint.servers",
  ]);
  expect(await countRows(api.db)).toEqual(before);
});

it("is listed, found and removed once", async () => {
  const name = randomUUID();
  const { id } = (await write(name)).body.blueprint;
  for (const query of [`name=${name}`, `name=${name}&environment=${environment.id}&account=${owner.accountId}`]) {
    expect(ids(await owner.get(`/blueprints?${query}`))).toEqual([id]);
    expect(ids(await owner.get(`/environments/${environment.id}/blueprints?${query}`))).toEqual([id]);
  }
  const removed = await owner.delete(`/blueprints/${id}`);
  expect([removed.status, removed.text]).toEqual([204, ""]);
  expect((await owner.delete(`/blueprints/${id}`)).status).toBe(409);
  expect(ids(await owner.get(`/blueprints?name=${name}`))).toEqual([]);
  expect(ids(await owner.get(`/blueprints?name=${name}&deleted=true`))).toEqual([id]);
  expect((await owner.get(`/blueprints/${id}`)).body.blueprint.deleted_at).toMatch(/^20/);
});

it("is not there for others, and only to be looked at for viewers", async () => {
  const { id } = (await write()).body.blueprint;
  const stranger = await createCaller(api);
  const viewer = await createCaller(api, { accountId: owner.accountId, role: "viewer" });
  const asked = [
    await write("x", environment.id, stranger),
    await stranger.get(`/blueprints/${id}`),
    await stranger.delete(`/blueprints/${id}`),
    await stranger.get(`/environments/${environment.id}/blueprints`),
    await stranger.get(`/blueprints?environment=${environment.id}`),
  ];
  expect(asked.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
  const written = [await write("x", environment.id, viewer), await viewer.delete(`/blueprints/${id}`)];
  expect(written.map(({ status }) => status)).toEqual([403, 403]);
  expect((await viewer.get(`/blueprints/${id}`)).status).toBe(200);
});
