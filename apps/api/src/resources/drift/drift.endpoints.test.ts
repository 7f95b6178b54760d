import { randomUUID } from "node:crypto";
import type { Prisma } from "@gantry/db";
import { createProvider, REGION } from "@gantry/test/support/api";
import { startApiTest } from "@gantry/test/support/api-test";

const { db, owner, provider } = await startApiTest();

const report = (query = "") => owner.get(`/accounts/${owner.accountId}/drift${query}`);

function find(changes: Partial<Prisma.DriftUncheckedCreateInput>) {
  const { accountId, id: providerId } = provider;
  const found = { id: randomUUID(), accountId, providerId, region: REGION, finding: "orphan", kind: "volume" };
  return db.drift.create({ data: { ...found, cloudId: randomUUID(), ...changes } });
}

it("lists the scanned regions with the time of their scan, also without findings", async () => {
  const { id, locationId: region } = await db.providerLocation.findFirstOrThrow({
    where: { providerId: provider.id, locationId: REGION },
  });
  const place = { id, accountId: owner.accountId, providerId: provider.id, region, dueAt: new Date() };
  await db.driftRegion.create({ data: place });
  const shown = {
    location: REGION,
    provider: `http://gantry.test/providers/${provider.id}`,
    message: null,
    left_out: [],
  };
  expect((await report()).body).toEqual({ drift: [], places: [{ ...shown, last_looked_at: null }] });
  await db.driftRegion.update({ where: { id }, data: { lastScannedAt: new Date("2026-01-02T03:04:05Z") } });
  expect((await report()).body.places).toEqual([{ ...shown, last_looked_at: "2026-01-02T03:04:05+00:00" }]);
});

it("lists changes with their record and orphans with their tags, page by page", async () => {
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
});

it("accepts the removal of an orphan once, with the finding as its input", async () => {
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
    `drift ${id} has an unfinished request: remove_orphan ${body.request.id}`,
  ]);
  const { input } = await db.request.findUniqueOrThrow({ where: { id: body.request.id } });
  const noticedAt = createdAt.toISOString();
  expect(input).toEqual({ kind, cloudId, providerId, region: REGION, noticedAt, quietSeconds: 300 });
});

it("refuses to remove an object with a record or of a cancelled provider", async () => {
  const changed = await find({ finding: "changed", kind: "instance", resourceType: "server", resourceId: "7" });
  const cancelled = await createProvider(db, owner.accountId);
  await db.provider.update({ where: { id: cancelled.id }, data: { cancelledAt: new Date() } });
  const left = await find({ providerId: cancelled.id });
  for (const { id } of [changed, left]) expect((await owner.delete(`/drift/${id}`)).status).toBe(409);
  expect(await db.request.count({ where: { resourceId: { in: [changed.id, left.id] } } })).toBe(0);
});

it("retries a failed removal, even after the finding has expired", async () => {
  const { id } = await find({});
  const { body } = await owner.delete(`/drift/${id}`);
  const failed = body.request.id;
  await db.request.update({ where: { id: failed }, data: { finishedAt: new Date(), message: "no" } });
  await db.drift.delete({ where: { id } });
  const again = await owner.post(`/requests/${failed}/retry`);
  expect([again.status, again.body.request.type]).toEqual([200, "remove_orphan"]);
});

it("accepts one scan of an account at a time", async () => {
  const path = `/accounts/${owner.accountId}/drift/scan`;
  const { status, body } = await owner.post(path);
  const subject = { type: "account", id: owner.accountId, url: `http://gantry.test/accounts/${owner.accountId}` };
  expect([status, body.request]).toMatchObject([200, { type: "scan_drift", subject, resource: subject.url }]);
  const again = await owner.post(path);
  expect([again.status, again.body.blocking]).toEqual([409, [`http://gantry.test/requests/${body.request.id}`]]);
});
