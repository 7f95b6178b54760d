import { countRows, createEnvironment, createServer, createSnapshot, createVolume } from "@gantry/test/support/api";
import { startApiTest } from "@gantry/test/support/api-test";

const { db, owner, provider } = await startApiTest();
const environment = await createEnvironment(db, provider);

async function serverWith(volumes: number) {
  const server = await createServer(db, environment);
  for (let i = 0; i < volumes; i++) {
    await createVolume(db, provider, { serverId: server.id, device: `/dev/xvd${"fgh"[i]}`, sizeGb: 10 + i });
  }
  return server;
}

it("accepts a snapshot of each volume of a server, with a link to their Request", async () => {
  const server = await serverWith(2);
  const { status, body } = await owner.post(`/servers/${server.id}/snapshot`);
  expect(status).toBe(200);
  expect(body.request).toMatchObject({ type: "snapshot_server", resource: `http://gantry.test/servers/${server.id}` });
  const { snapshots } = (await owner.get(`/servers/${server.id}/snapshots/${body.request.id}`)).body;
  expect(snapshots).toHaveLength(2);
  expect(snapshots[1]).toMatchObject({
    state: "starting",
    progress: 0,
    size: 10,
    region: { id: "us-east-1", name: "US East (N. Virginia)" },
    snaplocked: false,
    mount: null,
    grade: "full",
    arch: 64,
    environment: `http://gantry.test/environments/${environment.id}`,
    server: `http://gantry.test/servers/${server.id}`,
    snapshot_server_request: `http://gantry.test/requests/${body.request.id}`,
  });
  expect(await db.request.findUnique({ where: { id: body.request.id } })).toMatchObject({
    input: { snapshotIds: snapshots.map(({ id }: { id: number }) => id).reverse() },
  });
  const taking = await owner.delete(`/snapshots/${snapshots[0].id}`);
  expect(taking.body.errors).toEqual([
    `snapshot ${snapshots[0].id} is still being created: snapshot_server ${body.request.id}`,
  ]);
});

it("refuses a server that has no volume or is not provisioned", async () => {
  const bare = await serverWith(0);
  const planned = await createServer(db, environment, { provisionedId: null });
  const before = await countRows(db);
  expect((await owner.post(`/servers/${bare.id}/snapshot`)).body.errors).toEqual([
    `server ${bare.id} has no volume to snapshot`,
  ]);
  expect((await owner.post(`/servers/${planned.id}/snapshot`)).status).toBe(409);
  expect(await countRows(db)).toEqual(before);
});

it("lists snapshots by their Request, and removes a snapshot once", async () => {
  const server = await serverWith(1);
  const [disk] = await db.volume.findMany({ where: { serverId: server.id } });
  if (!disk) throw new Error("no disk");
  const { id, requestId } = await createSnapshot(db, server, disk, { state: "completed" });
  const ids = async (path: string) => (await owner.get(path)).body.snapshots.map((one: { id: number }) => one.id);
  expect(await ids(`/servers/${server.id}/snapshots/${requestId}`)).toEqual([id]);
  const { body } = await owner.delete(`/snapshots/${id}`);
  expect(body.request).toMatchObject({
    type: "deprovision_snapshot_request",
    resource: `http://gantry.test/snapshots/${id}`,
  });
  expect((await owner.delete(`/snapshots/${id}`)).status).toBe(409);
});
