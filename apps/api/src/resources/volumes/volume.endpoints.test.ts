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

const { db, owner, provider } = await startApiTest();
const environment = await createEnvironment(db, provider);

const make = (volume: object, extra: object = {}) =>
  owner.post("/volumes", { provider: provider.id, volume: { location: ZONE, ...volume }, ...extra });

it.each([
  ["the usual type", { size: 10 }, { volume_type: "gp3", iops: null, size: 10, encrypted: true, name: null }],
  [
    "the type that takes IOPS",
    { size: 80, iops: 4000, name: "fast", throughput: 500 },
    { volume_type: "gp3", iops: 4000, name: "fast", throughput: 500 },
  ],
  ["the type that takes fewer IOPS", { size: 80, iops: 2000 }, { volume_type: "io1", iops: 2000, throughput: null }],
  ["more IOPS than a boot may have", { size: 500, iops: 256_000, volume_type: "io2" }, { iops: 256_000 }],
  ["the least IOPS of gp3, which need no size", { size: 1, iops: 3000, volume_type: "gp3" }, { iops: 3000 }],
  [
    "no IOPS where they are none",
    { size: 10, iops: 0, encrypted: false },
    { volume_type: "gp3", iops: null, encrypted: false },
  ],
])("accepts a volume of %s", async (_name, attributes, shown) => {
  const { status, body } = await make(attributes);
  expect([status, body.request.type]).toEqual([200, "volume_provision"]);
  const { volume } = (await owner.get(resourcePath(body))).body;
  expect(volume).toMatchObject({ state: "pending", location: ZONE, provisioned_id: null, server: null, ...shown });
  expect(await db.volume.findUnique({ where: { id: volume.id } })).toMatchObject({ region: REGION });
});

it.each([
  [
    "more IOPS than AWS takes",
    { size: 16_384, iops: 64_001, volume_type: "io1" },
    "volume.iops: must be between 100 and 64000 for a volume of type io1",
  ],
  [
    "fewer IOPS than gp3 has",
    { size: 10, iops: 2999, volume_type: "gp3" },
    "volume.iops: must be between 3000 and 80000 for a volume of type gp3",
  ],
  [
    "IOPS for another type",
    { size: 10, iops: 100, volume_type: "gp2" },
    "volume.iops: cannot be set for a volume of type gp2",
  ],
  ["io1 without IOPS", { size: 10, volume_type: "io1" }, "volume.volume_type: io1 requires iops"],
  [
    "more IOPS than its size allows",
    { size: 10, iops: 501 },
    "volume.iops: must be at most 500 for a volume of type io1 with 10 GB (50 per GB)",
  ],
  [
    "more throughput than its IOPS carry",
    { size: 10, throughput: 751 },
    "volume.throughput: must be at most 750 MiB/s (0.25 per IOPS)",
  ],
  [
    "more throughput than AWS gives",
    { size: 200, iops: 80_000, throughput: 2001 },
    "volume.throughput: must be between 125 and 2000 MiB/s for a volume of type gp3",
  ],
  [
    "throughput for another type",
    { size: 10, throughput: 125, volume_type: "gp2" },
    "volume.throughput: cannot be set for a volume of type gp2",
  ],
  ["no size", {}, "param is missing or the value is empty: volume.size"],
  ["more than AWS makes", { size: 65_537 }, /volume.size/],
  ["more than AWS makes of its type", { size: 16_385, volume_type: "gp2" }, /must be between 1 and 16384 GB .* gp2/],
  ["an io1 disk too small", { size: 3, iops: 100 }, /must be between 4 and 16384 GB for a volume of type io1/],
  ["a cold disk too small", { size: 10, volume_type: "sc1" }, /must be between 125 and 16384 GB/],
  ["an unknown zone", { size: 10, location: "us-east-1z" }, /volume.location: provider \d+ has no zone us-east-1z/],
  [
    "a region",
    { size: 10, location: REGION },
    /volume.location: provider \d+ has no zone us-east-1; use one of us-east-1a/,
  ],
])("refuses %s and writes nothing", async (_name, attributes, sentence) => {
  await expectRefusal(db, () => make(attributes), sentence);
});

it("is encrypted if the account requires it, and refused if the input says otherwise", async () => {
  const where = { id: owner.accountId };
  await db.account.update({ where, data: { requiresEncryption: true } });
  const { body } = await make({ size: 10 });
  expect((await owner.get(resourcePath(body))).body.volume.encrypted).toBe(true);
  const sentence = "volume.encrypted: cannot be false, because the account requires encryption";
  await expectRefusal(db, () => make({ size: 10, encrypted: false }), sentence);
  await db.account.update({ where, data: { requiresEncryption: false } });
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
    `snapshot ${snapshot.id} is in use: volume ${volume.id} is being restored from it`,
  ]);
  const small = await make({ size: snapshot.sizeGb - 1 }, { snapshot: snapshot.id });
  expect(small.body.errors).toEqual([
    `volume.size: must be at least the ${snapshot.sizeGb} GB of snapshot ${snapshot.id}`,
  ]);
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
  expect((await attach(far.id)).body.errors).toEqual([`server: server ${far.id} is not in the volume's zone, ${ZONE}`]);
  expect((await owner.post(`/volumes/${id}/detach`)).body.errors).toEqual([`volume ${id} is not attached to a server`]);
  const { body } = await attach(server.id);
  expect((await attach(server.id)).status).toBe(409);
  expect((await owner.delete(`/volumes/${id}`)).status).toBe(409);
  await endRequest(db, body.request.id);
  await db.volume.update({ where: { id }, data: { serverId: server.id, device: "/dev/xvdf" } });
  for (const refused of [await attach(server.id), await owner.delete(`/volumes/${id}`)]) {
    expect(refused.body.errors).toEqual([`volume ${id} is attached to server ${server.id}`]);
  }
  expect((await owner.get(`/servers/${server.id}/volumes`)).body.volumes).toHaveLength(1);
  expect((await owner.get(`/volumes?server=${server.id}&device=/dev/xvdf`)).body.volumes).toHaveLength(1);
  const root = await createVolume(db, provider, { serverId: server.id, device: "/dev/xvda", mount: "/" });
  expect((await owner.post(`/volumes/${root.id}/detach`)).body.errors).toEqual([
    `volume ${root.id} is the root disk of server ${server.id}`,
  ]);
  const detached = await owner.post(`/volumes/${id}/detach`);
  expect(detached.body.request.type).toBe("detach_volume");
  await endRequest(db, detached.body.request.id);
  await db.volume.update({ where: { id }, data: { serverId: null, device: null } });
  expect((await owner.delete(`/volumes/${id}`)).body.request.type).toBe("deprovision_volume");
});

describe("a change in place", () => {
  const modify = (id: number, volume: object, query = "") => owner.post(`/volumes/${id}/modify${query}`, { volume });

  it("says in a dry run what happens meanwhile, what it costs and how it is undone, and changes nothing", async () => {
    const { id } = await createVolume(db, provider, { sizeGb: 10, volumeType: "gp3" });
    const { status, body } = await modify(id, { size: 20, iops: 4000 }, "?dry_run=true");
    expect([status, body.plan.requests]).toEqual([200, ["modify_volume"]]);
    expect(body.plan.changes).toEqual([
      {
        field: "size",
        from: 10,
        to: 20,
        effect: expect.stringContaining("available"),
        away_seconds: null,
        undo: "AWS never shrinks a volume.",
      },
      expect.objectContaining({ field: "iops", from: null, to: 4000 }),
    ]);
    // 10 GB of gp3 at $0.08, and 1,000 IOPS beyond those included at $0.005.
    expect(body.plan.estimate).toMatchObject({ monthly_usd: 6.6, monthly_usd_change: 5.8, is_complete: true });
    expect(await db.request.count({ where: { type: "modify_volume" } })).toBe(0);
  });

  it("asks AWS only for what changes, and takes AWS's default for the speed of a new type", async () => {
    const { id } = await createVolume(db, provider, { sizeGb: 10, volumeType: "gp3", iops: 4000, throughput: 250 });
    const inputOf = async (volume: object) => {
      const { body } = await modify(id, volume);
      const { input } = await db.request.findUniqueOrThrow({ where: { id: body.request.id } });
      await endRequest(db, body.request.id);
      return input;
    };
    expect(await inputOf({ size: 20, iops: 4000 })).toEqual({ sizeGb: 20 });
    expect(await inputOf({ volume_type: "gp2" })).toEqual({ volumeType: "gp2", iops: null, throughput: null });
    expect(await inputOf({ volume_type: "io2", iops: 500 })).toMatchObject({ volumeType: "io2", iops: 500 });
  });

  it.each([
    ["a smaller size", { size: 9 }, "volume.size: must be at least the 10 GB that it has; AWS never shrinks a volume"],
    ["what it has already", { size: 10 }, "volume: names no change: size, volume_type, iops, throughput are as they"],
    ["nothing", {}, "volume: names no change"],
    ["a type without the IOPS that it needs", { volume_type: "io1" }, "volume.volume_type: io1 requires iops"],
    ["IOPS for a type that takes none", { volume_type: "gp2", iops: 3000 }, "volume.iops: cannot be set for a volume"],
    ["more IOPS than the size allows", { iops: 5001 }, "volume.iops: must be at most 5000 for a volume of type gp3"],
  ])("refuses %s and writes nothing", async (_name, volume, sentence) => {
    const { id } = await createVolume(db, provider, { sizeGb: 10, volumeType: "gp3" });
    await expectRefusal(db, () => modify(id, volume), new RegExp(`^${sentence.replace(/[.()]/g, "\\$&")}`));
  });

  it("refuses a second change while one is under way, and a fifth in 24 hours, and says when it can be", async () => {
    const { id } = await createVolume(db, provider, { sizeGb: 10, volumeType: "gp3" });
    const sizes = [11, 12, 13, 14];
    for (const size of sizes) {
      const { body } = await modify(id, { size });
      const second = await modify(id, { size: 50 });
      expect([second.status, second.body.blocking]).toEqual([409, [expect.stringContaining(body.request.id)]]);
      await endRequest(db, body.request.id);
    }
    const fifth = await modify(id, { size: 50 });
    expect([fifth.status, fifth.body.errors]).toEqual([
      409,
      [expect.stringMatching(/^AWS changes a volume 4 times in 24 hours; volume \d+ can change at 20\d\d-/)],
    ]);
    const { id: other } = await createVolume(db, provider, { sizeGb: 10, volumeType: "gp3" });
    expect((await modify(other, { size: 50 })).status).toBe(200);
  });

  it("refuses a retry that would shrink a volume which has grown since", async () => {
    const { id } = await createVolume(db, provider, { sizeGb: 10, volumeType: "gp3" });
    const { body } = await modify(id, { size: 20 });
    await endRequest(db, body.request.id, false);
    await db.volume.update({ where: { id }, data: { sizeGb: 30 } });
    const retried = await owner.post(`/requests/${body.request.id}/retry`);
    expect([retried.status, retried.body.errors]).toEqual([422, [expect.stringContaining("at least the 30 GB")]]);
  });
});
