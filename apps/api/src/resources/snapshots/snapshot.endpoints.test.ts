import type { Environment, Provider } from "@gantry/db";
import {
  countRows,
  createCaller,
  createEnvironment,
  createProvider,
  createServer,
  createSnapshot,
  createVolume,
  startTestApi,
  type TestApi,
  type TestCaller,
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
});
afterAll(() => api.close());

async function serverWith(volumes: number) {
  const server = await createServer(api.db, environment);
  for (let i = 0; i < volumes; i++) {
    await createVolume(api.db, provider, { serverId: server.id, device: `/dev/xvd${"fgh"[i]}`, sizeGb: 10 + i });
  }
  return server;
}

it("writes a snapshot for each volume of the server when it is asked for them, and tells which request took them", async () => {
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
  expect(await api.db.request.findUnique({ where: { id: body.request.id } })).toMatchObject({
    input: { snapshotIds: snapshots.map(({ id }: { id: number }) => id).reverse() },
  });
  const taking = await owner.delete(`/snapshots/${snapshots[0].id}`);
  expect(taking.body.errors).toEqual([
    `the snapshot ${snapshots[0].id} is still being taken: snapshot_server ${body.request.id}`,
  ]);
});

it("takes none of a server that has no volume, was not made or was deleted", async () => {
  const bare = await serverWith(0);
  const planned = await createServer(api.db, environment, { provisionedId: null });
  const gone = await createServer(api.db, environment, { deletedAt: new Date() });
  const before = await countRows(api.db);
  expect((await owner.post(`/servers/${bare.id}/snapshot`)).body.errors).toEqual([
    `the server ${bare.id} has no volume to take a snapshot of`,
  ]);
  for (const { id } of [planned, gone]) {
    expect((await owner.post(`/servers/${id}/snapshot`)).status).toBe(409);
  }
  expect(await countRows(api.db)).toEqual(before);
});

it("plans without writing anything", async () => {
  const server = await serverWith(1);
  const before = await countRows(api.db);
  const { body } = await owner.post(`/servers/${server.id}/snapshot?dry_run=true`);
  expect(body.plan).toMatchObject({ stages: ["snapshots.perform"], creates: ["snapshot"] });
  expect(await countRows(api.db)).toEqual(before);
});

it("lists snapshots by environment, server, request and state, and removes one once", async () => {
  const server = await serverWith(1);
  const [disk] = await api.db.volume.findMany({ where: { serverId: server.id } });
  if (!disk) throw new Error("no disk");
  const { id, requestId } = await createSnapshot(api.db, server, disk, { state: "completed" });
  const ids = async (path: string) => (await owner.get(path)).body.snapshots.map((one: { id: number }) => one.id);
  expect(await ids(`/servers/${server.id}/snapshots`)).toEqual([id]);
  expect(await ids(`/servers/${server.id}/snapshots/${requestId}`)).toEqual([id]);
  expect(await ids(`/environments/${environment.id}/snapshots?server=${server.id}`)).toEqual([id]);
  expect(await ids(`/snapshots?state=completed&server=${server.id}`)).toEqual([id]);
  expect(await ids(`/snapshots?state=error&server=${server.id}`)).toEqual([]);
  const { body } = await owner.delete(`/snapshots/${id}`);
  expect(body.request).toMatchObject({
    type: "deprovision_snapshot_request",
    resource: `http://gantry.test/snapshots/${id}`,
  });
  expect((await owner.delete(`/snapshots/${id}`)).status).toBe(409);
});

it("knows no snapshot of another account, wherever it is named", async () => {
  const stranger = await createCaller(api);
  const server = await serverWith(1);
  const [disk] = await api.db.volume.findMany({ where: { serverId: server.id } });
  if (!disk) throw new Error("no disk");
  const { id, requestId } = await createSnapshot(api.db, server, disk);
  for (const path of [
    `/snapshots/${id}`,
    `/servers/${server.id}/snapshots`,
    `/servers/${server.id}/snapshots/${requestId}`,
    `/environments/${environment.id}/snapshots`,
    `/snapshots?server=${server.id}`,
  ]) {
    expect((await stranger.get(path)).status).toBe(404);
  }
  expect((await stranger.post(`/servers/${server.id}/snapshot`)).status).toBe(404);
  expect((await stranger.delete(`/snapshots/${id}`)).status).toBe(404);
  const theirs = await createProvider(api.db, stranger.accountId);
  const { id: foreignServer } = await createServer(api.db, await createEnvironment(api.db, theirs));
  expect((await stranger.get(`/servers/${foreignServer}/snapshots/${requestId}`)).status).toBe(404);
});
