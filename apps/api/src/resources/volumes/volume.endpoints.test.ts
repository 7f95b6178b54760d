import {
  createEnvironment,
  createServer,
  createSnapshot,
  createVolume,
  OTHER_ZONE,
  REGION,
  ZONE,
} from "@gantry/test/support/api";
import { endRequest, expectRefusal, resourcePath, startApiTest } from "@gantry/test/support/api-test";
import { expect, it } from "@jest/globals";

const { db, owner, provider } = await startApiTest();
const environment = await createEnvironment(db, provider);

const make = (volume: object, extra: object = {}) =>
  owner.post("/volumes", { provider: provider.id, volume: { location: ZONE, ...volume }, ...extra });

it.each([
  ["the usual type", { size: 10 }, { volume_type: "gp2", iops: null, size: 10, encrypted: false, name: null }],
  [
    "the type that takes IOPS",
    { size: 80, iops: 4000, name: "fast" },
    { volume_type: "io1", iops: 4000, name: "fast" },
  ],
  [
    "no IOPS where they are none",
    { size: 10, iops: 0, encrypted: true },
    { volume_type: "gp2", iops: null, encrypted: true },
  ],
])("accepts a volume of %s", async (_name, attributes, shown) => {
  const { status, body } = await make(attributes);
  expect([status, body.request.type]).toEqual([200, "volume_provision"]);
  const { volume } = (await owner.get(resourcePath(body))).body;
  expect(volume).toMatchObject({ state: "pending", location: ZONE, provisioned_id: null, server: null, ...shown });
  expect(await db.volume.findUnique({ where: { id: volume.id } })).toMatchObject({ region: REGION });
});

it.each([
  ["more IOPS than AWS takes", { size: 100, iops: 4001 }, "volume.iops: the maximum is 4000"],
  [
    "IOPS for another type",
    { size: 10, iops: 100, volume_type: "gp2" },
    "volume.iops: cannot be chosen for a volume of type gp2",
  ],
  ["io1 without IOPS", { size: 10, volume_type: "io1" }, "param is missing or the value is empty: volume.iops"],
  ["more IOPS than its size allows", { size: 10, iops: 501 }, "volume.iops: at most 50 for each GB of size"],
  ["no size", {}, "param is missing or the value is empty: volume.size"],
  ["a size of nothing", { size: 0 }, /volume.size/],
  ["more than AWS makes", { size: 16_385 }, /volume.size/],
  ["a cold disk too small", { size: 10, volume_type: "sc1" }, /must be from 125 to 16384 GB/],
  ["an unknown zone", { size: 10, location: "us-east-1z" }, /volume.location: provider \d+ has no zone us-east-1z/],
  [
    "a region",
    { size: 10, location: REGION },
    /volume.location: provider \d+ has no zone us-east-1: known are us-east-1a/,
  ],
  ["an unknown type", { size: 10, volume_type: "io9" }, /volume.volume_type/],
])("refuses %s and writes nothing", async (_name, attributes, sentence) => {
  await expectRefusal(db, () => make(attributes), sentence);
});

it("accepts a volume from a complete snapshot of its region, at least as large as the snapshot", async () => {
  const server = await createServer(db, environment);
  const disk = await createVolume(db, provider, { serverId: server.id, device: "/dev/xvdf" });
  const snapshot = await createSnapshot(db, server, disk);
  const { body } = await make({}, { snapshot: snapshot.id });
  const { volume } = (await owner.get(resourcePath(body))).body;
  expect(volume.size).toBe(snapshot.sizeGb);
  expect(await db.volume.findUnique({ where: { id: volume.id } })).toMatchObject({
    fromSnapshot: snapshot.provisionedId,
  });
  expect((await owner.delete(`/snapshots/${snapshot.id}`)).body.errors).toEqual([
    `the snapshot ${snapshot.id} is in use: volume ${volume.id} is being restored from it`,
  ]);
  const small = await make({ size: snapshot.sizeGb - 1 }, { snapshot: snapshot.id });
  expect(small.body.errors).toEqual([`volume.size: is less than the ${snapshot.sizeGb} GB of snapshot ${snapshot.id}`]);
  expect((await make({ size: 100, location: OTHER_ZONE }, { snapshot: snapshot.id })).status).toBe(422);
  await db.snapshot.update({ where: { id: snapshot.id }, data: { progress: 40, state: "pending" } });
  expect((await make({}, { snapshot: snapshot.id })).status).toBe(409);
  expect((await make({}, { snapshot: 2_000_000_000 })).status).toBe(404);
});

it("attaches concurrent volumes to a server under distinct device names", async () => {
  const server = await createServer(db, environment);
  await createVolume(db, provider, { serverId: server.id, device: "/dev/xvdf", state: "in-use" });
  const volumes = await Promise.all([1, 2, 3].map(() => createVolume(db, provider)));
  const answers = await Promise.all(
    volumes.map(({ id }) => owner.post(`/volumes/${id}/attach`, { server: server.id })),
  );
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  const accepted = await db.request.findMany({
    where: { type: "attach_volume", resourceId: { in: volumes.map(({ id }) => String(id)) } },
  });
  const devices = accepted.map(({ input }) => (input as { device: string }).device).sort();
  expect(devices).toEqual(["/dev/xvdg", "/dev/xvdh", "/dev/xvdi"]);
});

it("attaches a volume to one server of its zone, and refuses to remove an attached volume", async () => {
  const { id } = await createVolume(db, provider);
  const server = await createServer(db, environment);
  const attach = (to: number) => owner.post(`/volumes/${id}/attach`, { server: to });
  const far = await createServer(db, environment, { location: "us-east-1b" });
  expect((await attach(far.id)).body.errors).toEqual([
    `server: the server ${far.id} is not in the volume's zone, ${ZONE}`,
  ]);
  expect((await owner.post(`/volumes/${id}/detach`)).body.errors).toEqual([
    `the volume ${id} is not attached to a server`,
  ]);
  const { body } = await attach(server.id);
  expect((await attach(server.id)).status).toBe(409);
  expect((await owner.delete(`/volumes/${id}`)).status).toBe(409);
  await endRequest(db, body.request.id);
  await db.volume.update({ where: { id }, data: { serverId: server.id, device: "/dev/xvdf" } });
  for (const refused of [await attach(server.id), await owner.delete(`/volumes/${id}`)]) {
    expect(refused.body.errors).toEqual([`the volume ${id} is attached to server ${server.id}`]);
  }
  expect((await owner.get(`/servers/${server.id}/volumes`)).body.volumes).toHaveLength(1);
  expect((await owner.get(`/volumes?server=${server.id}&device=/dev/xvdf`)).body.volumes).toHaveLength(1);
  const root = await createVolume(db, provider, { serverId: server.id, device: "/dev/xvda", mount: "/" });
  expect((await owner.post(`/volumes/${root.id}/detach`)).body.errors).toEqual([
    `the volume ${root.id} is the root disk of server ${server.id}`,
  ]);
  const detached = await owner.post(`/volumes/${id}/detach`);
  expect(detached.body.request.type).toBe("detach_volume");
  await endRequest(db, detached.body.request.id);
  await db.volume.update({ where: { id }, data: { serverId: null, device: null } });
  expect((await owner.delete(`/volumes/${id}`)).body.request.type).toBe("deprovision_volume");
});
