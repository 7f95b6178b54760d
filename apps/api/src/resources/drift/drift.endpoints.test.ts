import { randomUUID } from "node:crypto";
import type { Prisma } from "@gantry/db";
import { EC2_TRUST } from "@gantry/resources";
import {
  createCaller,
  createEnvironment,
  createProvider,
  createServer,
  createVolume,
  REGION,
} from "@gantry/test/support/api";
import { startApiTest } from "@gantry/test/support/api-test";
import { createDatabase } from "@gantry/test/support/databases";
import { recordOffers } from "@gantry/test/support/offers";

const { api, db, owner, provider } = await startApiTest();

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

describe("a change that was made outside of Gantry", () => {
  const gp3 = { sizeGb: 20, volumeType: "gp3", state: "available" };
  const change = async (row: { id: number | string }, type: string, before: object, after: object) =>
    (await find({ finding: "changed", resourceType: type, resourceId: String(row.id), before, after })).id;
  const restore = (id: string, query = "") => owner.post(`/drift/${id}/restore${query}`);
  const inputOf = async (id: string) => (await db.request.findUniqueOrThrow({ where: { id } })).input;

  it("of a volume is taken back by a Request that a dry run plans, and is then no longer listed", async () => {
    const volume = await createVolume(db, provider, { ...gp3, volumeType: "gp2", iops: 4000, provisionedId: "vol-1" });
    const before = { state: "in-use", size_gb: "20", volume_type: "gp3", iops: null };
    const id = await change(volume, "volume", before, {
      ...before,
      state: "available",
      volume_type: "gp2",
      iops: "4000",
    });
    const shown = (await owner.get(`/drift/${id}`)).body.drift;
    expect([shown.before, shown.after]).toMatchObject([{ size: "20" }, { size: "20", volume_type: "gp2" }]);
    const { plan } = (await restore(id, "?dry_run=true")).body;
    expect(plan.changes).toMatchObject([
      { field: "volume_type", from: "gp2", to: "gp3" },
      { field: "iops", from: 4000, to: 3000 },
    ]);
    const { status, body } = await restore(id);
    expect([status, body.request.type]).toEqual([200, "modify_volume"]);
    expect(await inputOf(body.request.id)).toEqual({ volumeType: "gp3", iops: 3000 });
    expect((await owner.get(`/drift/${id}`)).status).toBe(404);
  });

  it("of a server's flavor, and of a database, is taken back with values of their types", async () => {
    const other = await createProvider(db, owner.accountId);
    await recordOffers(db, other);
    const settled = { flavor: "m7i.large", provisionedId: "i-7", location: `${REGION}b` };
    const server = await createServer(db, await createEnvironment(db, other), settled);
    const resized = await change(server, "server", { flavor: "t3.medium" }, { flavor: "m7i.large" });
    expect(await inputOf((await restore(resized)).body.request.id)).toEqual({ flavor: "t3.medium", apply: "now" });
    const { masterId } = await createDatabase(db, api.env, { accountId: owner.accountId, provider });
    await db.databaseServer.update({ where: { id: masterId }, data: { multiAz: true, backupRetentionPeriod: 1 } });
    const settings = { multi_az: "false", backup_retention_period: "7" };
    const after = { multi_az: "true", backup_retention_period: "1" };
    const ofDatabase = await change({ id: masterId }, "database_server", settings, after);
    expect(await inputOf((await restore(ofDatabase)).body.request.id)).toEqual({
      multiAz: false,
      backupRetentionPeriod: 7,
    });
  });

  it("of a scaling group is taken back, with a desired size between the former minimum and maximum", async () => {
    const other = await createProvider(db, owner.accountId);
    await recordOffers(db, other);
    const environment = await createEnvironment(db, other);
    const sizes = { minimumSize: 2, maximumSize: 6, desiredCapacity: 5, flavor: "m7i.large", provisionedId: "g" };
    const { accountId, id: environmentId, region } = environment;
    const row = { id: randomUUID(), accountId, providerId: other.id, environmentId, region, ...sizes };
    const group = await db.autoScalingGroup.create({ data: row });
    await createServer(db, environment, { role: "app_master", flavor: "t3.medium", autoScalingGroupId: group.id });
    const id = await change(
      group,
      "auto_scaling_group",
      { minimum_size: "1", maximum_size: "4", desired_capacity: "2", flavor: "t3.medium" },
      // The desired size has moved since.
      { minimum_size: "2", maximum_size: "6", desired_capacity: "4", flavor: "m7i.large" },
    );
    const { body } = await restore(id);
    expect(body.request?.type).toBe("modify_auto_scaling_group");
    const input = { minimumSize: 1, maximumSize: 4, desiredCapacity: 4, flavor: "t3.medium" };
    expect(await inputOf(body.request.id)).toEqual(input);
  });

  it("of a role is taken back by admins, with the documents that it had", async () => {
    const { accountId, id: providerId } = provider;
    const document = { Version: "2012-10-17", Statement: [{ Effect: "Allow", Action: "s3:*", Resource: "*" }] };
    const former = { Version: "2012-10-17", Statement: [{ Effect: "Allow", Action: "s3:GetObject", Resource: "*" }] };
    const role = await db.iamRole.create({
      data: {
        ...{ id: randomUUID(), accountId, providerId, name: randomUUID(), provisionedId: "AROA1" },
        ...{
          policy: document,
          policyArn: "arn:aws:iam::aws:policy/ReadOnlyAccess",
          assumeRolePolicyDocument: EC2_TRUST,
        },
      },
    });
    const before = { policy: JSON.stringify(former), policy_arn: null };
    const after = { policy: JSON.stringify(document), policy_arn: role.policyArn };
    const id = await change(role, "iam_role", before, after);
    const member = await createCaller(api, { accountId, role: "member" });
    expect((await member.post(`/drift/${id}/restore`)).status).toBe(403);
    const { body } = await restore(id);
    expect(body.request?.type).toBe("modify_iam_role");
    expect(await inputOf(body.request.id)).toEqual({
      from: { policies: { policy: document, policyArn: role.policyArn, userManagedPolicy: false } },
      to: { policies: { policy: former, policyArn: null, userManagedPolicy: false } },
    });
  });

  it("is not taken back if AWS cannot, the record has changed since, or it is of no setting", async () => {
    const volume = await createVolume(db, provider, { ...gp3, provisionedId: "vol-2" });
    const refusal = async (id: string) => {
      const { status, body } = await restore(id);
      return [status, body.errors[0]];
    };
    const grown = await change(volume, "volume", { size_gb: "10" }, { size_gb: "20" });
    expect(await refusal(grown)).toEqual([422, expect.stringContaining("AWS never shrinks a volume")]);
    const since = await change(volume, "volume", { volume_type: "gp3" }, { volume_type: "io1" });
    expect(await refusal(since)).toEqual([409, expect.stringContaining("it has been changed since")]);
    const stopped = await change(volume, "volume", { state: "in-use" }, { state: "available" });
    expect(await refusal(stopped)).toEqual([
      409,
      `nothing of finding ${stopped} can be restored: it is of state; what can is size, volume_type, iops, throughput`,
    ]);
    const orphan = await find({});
    expect(await refusal(orphan.id)).toEqual([409, `finding ${orphan.id} is not a change`]);
    expect((await owner.get(`/drift/${grown}`)).status).toBe(200);
  });

  it("is adopted, and then no longer listed; an orphan is not", async () => {
    const volume = await createVolume(db, provider, gp3);
    const id = await change(volume, "volume", { size_gb: "10" }, { size_gb: "20" });
    expect((await owner.post(`/drift/${id}/adopt`)).status).toBe(204);
    expect((await owner.get(`/drift/${id}`)).status).toBe(404);
    const orphan = await find({});
    expect((await owner.post(`/drift/${orphan.id}/adopt`)).status).toBe(409);
  });
});
