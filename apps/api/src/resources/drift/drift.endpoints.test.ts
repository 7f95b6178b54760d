import { randomUUID } from "node:crypto";
import type { Prisma, Provider } from "@gantry/db";
import {
  createCaller,
  createProvider,
  REGION,
  startTestApi,
  type TestApi,
  type TestCaller,
} from "@gantry/test/support/api";
import { afterAll, beforeAll, expect, it } from "@jest/globals";

let api: TestApi;
let owner: TestCaller;
let provider: Provider;

beforeAll(async () => {
  api = await startTestApi();
  owner = await createCaller(api);
  provider = await createProvider(api.db, owner.accountId);
});
afterAll(() => api.close());

const report = (query = "", caller = owner) => caller.get(`/accounts/${owner.accountId}/drift${query}`);

function find(changes: Partial<Prisma.DriftUncheckedCreateInput>) {
  const { accountId, id: providerId } = provider;
  const found = { id: randomUUID(), accountId, providerId, region: REGION, finding: "orphan", kind: "volume" };
  return api.db.drift.create({ data: { ...found, cloudId: randomUUID(), ...changes } });
}

it("says where AWS was compared and when, also where nothing was found", async () => {
  const { id, locationId: region } = await api.db.providerLocation.findFirstOrThrow({
    where: { providerId: provider.id, locationId: REGION },
  });
  const place = { id, accountId: owner.accountId, providerId: provider.id, region, dueAt: new Date() };
  await api.db.driftPlace.create({ data: place });
  const shown = { location: REGION, provider: `http://gantry.test/providers/${provider.id}`, message: null };
  expect((await report()).body).toEqual({ drift: [], places: [{ ...shown, last_looked_at: null }] });
  await api.db.driftPlace.update({ where: { id }, data: { lastLookedAt: new Date("2026-01-02T03:04:05Z") } });
  expect((await report()).body.places).toEqual([{ ...shown, last_looked_at: "2026-01-02T03:04:05+00:00" }]);
});

it("lists what changed with its record, and orphans with their tags, page by page", async () => {
  const change = { before: { state: "running" }, after: { state: "stopped" } };
  await find({
    finding: "changed",
    kind: "instance",
    cloudId: "i-1",
    resourceType: "server",
    resourceId: "7",
    ...change,
  });
  await find({ cloudId: "vol-1", tags: { Name: "x" } });
  const { body, headers } = await report("?per_page=1");
  const orphan = { finding: "orphan", provisioned_id: "vol-1", tags: { Name: "x" }, resource: null, before: null };
  expect(body.drift).toMatchObject([{ ...orphan, location: REGION }]);
  expect([headers["x-total-count"], headers.link]).toEqual(["2", expect.stringContaining('rel="next"')]);
  const changed = { provisioned_id: "i-1", ...change, resource: "http://gantry.test/servers/7" };
  expect((await report("?finding=changed")).body.drift).toMatchObject([changed]);
  const ids = async (query: string) =>
    (await report(query)).body.drift.map(({ provisioned_id }: { provisioned_id: string }) => provisioned_id);
  expect(await ids("?kind=volume")).toEqual(["vol-1"]);
  expect(await ids(`?provisioned_id=i-1&provider=${provider.id}&location=${REGION}`)).toEqual(["i-1"]);
  expect(await ids("?location=eu-west-1")).toEqual([]);
  expect((await report("?finding=lost")).status).toBe(422);
});

it("is there for members of the account alone", async () => {
  const viewer = await createCaller(api, { accountId: owner.accountId, role: "viewer" });
  const stranger = await createCaller(api);
  expect((await report("", viewer)).status).toBe(200);
  expect((await report("", stranger)).status).toBe(404);
});

it("accepts the removal of an orphan once, with what was found", async () => {
  const { id, kind, cloudId, providerId, createdAt } = await find({});
  const path = `/drift/${id}`;
  expect((await owner.get(path)).body.drift).toMatchObject({ id, finding: "orphan", provisioned_id: cloudId });
  const plan = await owner.delete(`${path}?dry_run=true`);
  expect(plan.body.plan).toMatchObject({ stages: ["destroy"], requests: ["remove_orphan"], creates: [] });
  const requested = () => owner.delete(path).set("Idempotency-Key", id);
  const { status, body } = await requested();
  expect([status, body.request]).toEqual([200, expect.objectContaining({ type: "remove_orphan", resource: false })]);
  expect((await requested()).body.request.id).toBe(body.request.id);
  const again = await owner.delete(path);
  expect([again.status, again.body.errors[0]]).toEqual([
    409,
    `the drift ${id} has an open request: remove_orphan ${body.request.id}`,
  ]);
  const { input } = await api.db.request.findUniqueOrThrow({ where: { id: body.request.id } });
  const noticedAt = createdAt.toISOString();
  expect(input).toEqual({ kind, cloudId, providerId, region: REGION, noticedAt, quietSeconds: 300 });
});

it("removes nothing that has a record, of a cancelled provider, of another account's or for a viewer", async () => {
  const changed = await find({ finding: "changed", kind: "instance", resourceType: "server", resourceId: "7" });
  const orphan = await find({});
  const viewer = await createCaller(api, { accountId: owner.accountId, role: "viewer" });
  const stranger = await createCaller(api);
  const cancelled = await createProvider(api.db, owner.accountId);
  await api.db.provider.update({ where: { id: cancelled.id }, data: { cancelledAt: new Date() } });
  const left = await find({ providerId: cancelled.id });
  const statusOf = async (caller: TestCaller, { id }: { id: string }) => (await caller.delete(`/drift/${id}`)).status;
  expect([await statusOf(owner, changed), await statusOf(owner, left)]).toEqual([409, 409]);
  expect([await statusOf(viewer, orphan), await statusOf(stranger, orphan)]).toEqual([403, 404]);
  expect((await stranger.get(`/drift/${orphan.id}`)).status).toBe(404);
  expect(await api.db.request.count({ where: { resourceId: { in: [changed.id, left.id, orphan.id] } } })).toBe(0);
});

it("takes up again a removal that failed, also where the finding was forgotten meanwhile", async () => {
  const { id } = await find({});
  const { body } = await owner.delete(`/drift/${id}`);
  const failed = body.request.id;
  await api.db.request.update({ where: { id: failed }, data: { finishedAt: new Date(), message: "no" } });
  await api.db.drift.delete({ where: { id } });
  const again = await owner.post(`/requests/${failed}/retry`);
  expect([again.status, again.body.request.type]).toEqual([200, "remove_orphan"]);
});
