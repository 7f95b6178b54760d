import { randomUUID } from "node:crypto";
import { countRows, createEnvironment, createServer, REGION, ZONE } from "@gantry/test/support/api";
import { idsIn, startApiTest } from "@gantry/test/support/api-test";

const { db, owner, provider } = await startApiTest();
const environment = await createEnvironment(db, provider);
const volume = { accountId: owner.accountId, providerId: provider.id, region: REGION, location: ZONE };
const master = await createServer(db, environment, { role: "db_master", flavor: "c4.large", dedicated: true });
const disk = { ...volume, serverId: master.id };
const data = { mount: "/data", device: "/dev/xvdf", sizeGb: 100, volumeType: "io1", iops: 2000 };
await db.volume.create({ data: { ...disk, ...data } });
await db.volume.create({ data: { ...disk, mount: "/mnt", device: "/dev/xvdg", sizeGb: 10 } });
await createServer(db, environment, { role: "util", name: "queue" });
await createServer(db, environment, { role: "app", deletedAt: new Date() });

const inputWith = (name: unknown = "small") => ({ blueprint: { name } });
const write = (name?: unknown, id = environment.id) => owner.post(`/environments/${id}/blueprints`, inputWith(name));

it("saves an environment's servers in a blueprint that boots equal servers", async () => {
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
  const other = await createEnvironment(db, provider);
  const cluster_configuration = { blueprint_id: body.blueprint.id };
  expect((await owner.post(`/environments/${other.id}/boot`, { cluster_configuration })).status).toBe(200);
  const booted = await db.server.findMany({
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

it("refuses a blueprint of an environment without servers", async () => {
  const bare = await createEnvironment(db, provider);
  const before = await countRows(db);
  expect((await write("x", bare.id)).body.errors).toEqual([`environment ${bare.id} has no servers to save`]);
  expect(await countRows(db)).toEqual(before);
});

it("renames a blueprint, and removes it once", async () => {
  const name = randomUUID();
  const { id } = (await write(name)).body.blueprint;
  const rename = (next: unknown) => owner.put(`/blueprints/${id}`, { blueprint: { name: next } });
  expect((await rename(`${name}-2`)).body.blueprint.name).toBe(`${name}-2`);
  expect((await rename(name)).status).toBe(200);
  const removed = await owner.delete(`/blueprints/${id}`);
  expect([removed.status, removed.text]).toEqual([204, ""]);
  expect([(await owner.delete(`/blueprints/${id}`)).status, (await rename("gone")).status]).toEqual([409, 409]);
  expect(idsIn(await owner.get(`/blueprints?name=${name}`))).toEqual([]);
  expect(idsIn(await owner.get(`/blueprints?name=${name}&deleted=true`))).toEqual([id]);
  expect((await owner.get(`/blueprints/${id}`)).body.blueprint.deleted_at).toMatch(/^20/);
});
