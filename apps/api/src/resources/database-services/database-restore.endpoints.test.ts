import { createCaller, createEnvironment, createNetwork, createSubnet, ZONE } from "@gantry/test/support/api";
import { expectRefusal, resourcePath, startApiTest } from "@gantry/test/support/api-test";
import { addSnapshot, createDatabase, DATABASE_PASSWORD } from "@gantry/test/support/databases";

const { api, db, owner, provider } = await startApiTest();
const tenant = () => ({ accountId: owner.accountId, provider });

const DAY_MS = 24 * 60 * 60_000;
const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString();

async function database(options: Parameters<typeof createDatabase>[3] = {}) {
  const made = await createDatabase(db, api.env, tenant(), options);
  await db.databaseServer.update({ where: { id: made.masterId }, data: { createdAt: new Date("2026-01-01") } });
  return { ...made, path: `/database-services/${made.id}`, restore: `/database-services/${made.id}/restore` };
}

async function snapshotOf(masterId: string, storageGb = 20) {
  const { id } = await addSnapshot(db, tenant(), masterId);
  const data = { state: "available", progress: 100, provisionedId: `gantry-${id}`, storageGb };
  return db.databaseServerSnapshot.update({ where: { id }, data });
}

it("accepts a new database like the source, with a password and a firewall of its own", async () => {
  const network = await createNetwork(db, provider);
  for (const [i, location] of [ZONE, "us-east-1b"].entries())
    await createSubnet(db, network, { location, cidr: `10.0.${i}.0/24`, provisionedId: `subnet-${location}` });
  const { id, restore, masterId } = await database({ networkId: network.id, vpcProvisionedId: "vpc-1" });
  await db.databaseService.update({ where: { id }, data: { tags: { team: "shop", cost: "7" }, emailAlertLevel: 3 } });
  await db.databaseServer.update({ where: { id: masterId }, data: { backupRetentionPeriod: 14 } });
  const { status, body, text } = await owner.post(restore, {
    restore: { latest: true },
    database_service: { name: "the shop of yesterday", tags: { cost: "8" } },
    database_server: { storage: 50 },
  });
  expect([status, body.request?.type]).toEqual([200, "provision_database_service"]);
  const { database_service: shown } = (await owner.get(resourcePath(body))).body;
  expect(shown).toMatchObject({
    ...{ name: "the shop of yesterday", engine: "mysql", version: "5.7.17", username: "gantry", email_alert_level: 3 },
    tags: { team: "shop", cost: "8" },
    network: expect.stringContaining(network.id),
  });
  expect(shown.password).toMatch(/^[\w-]{32}$/);
  expect(shown.password).not.toBe(DATABASE_PASSWORD);
  const [server] = (await owner.get(`${resourcePath(body)}/servers`)).body.database_servers;
  const source = (await owner.get(`/database-servers/${masterId}`)).body.database_server;
  const { flavor, location, modifiers, backup_window, preferred_maintenance_window } = source;
  expect(server).toMatchObject({
    ...{ flavor, location, modifiers, backup_window, preferred_maintenance_window },
    ...{ storage: 50, backup_retention_period: 14, state: "pending", tags: { team: "shop", cost: "8" } },
  });
  expect(await db.firewall.count({ where: { databaseServiceId: shown.id } })).toBe(1);
  const { input } = await db.request.findUniqueOrThrow({ where: { id: body.request.id } });
  expect(input).toEqual({ sourceServerId: masterId });
  expect(text + JSON.stringify(input)).not.toContain(shown.password);
});

it.each<[title: string, source: object, server: object, iops: number | null]>([
  ["gp3 of 400 GB", { storageType: "gp3", storageGb: 400 }, {}, 16_000],
  ["another storage type", { storageType: "gp3", storageGb: 400 }, { modifiers: { storage_type: "gp2" } }, null],
  ["gp3 of less than 400 GB", { storageType: "gp3", storageGb: 300 }, {}, null],
])("takes over chosen IOPS where RDS accepts them: %s", async (_title, source, server, iops) => {
  const { restore, masterId } = await database();
  await db.databaseServer.update({ where: { id: masterId }, data: { ...source, iops: 16_000 } });
  const { body } = await owner.post(restore, { restore: { latest: true }, database_server: server });
  const [restored] = (await owner.get(`${resourcePath(body)}/servers`)).body.database_servers;
  expect(restored.iops).toBe(iops);
});

it("gives extended support only if the caller names it, and else leaves it to the source", async () => {
  const { restore } = await database();
  for (const [modifiers, expected] of [
    [{ extended_support: false }, { extendedSupport: false }],
    [{ extended_support: true }, { extendedSupport: true }],
    [{}, {}],
  ]) {
    const { body } = await owner.post(restore, { restore: { latest: true }, database_server: { modifiers } });
    const { input } = await db.request.findUniqueOrThrow({ where: { id: body.request.id } });
    const { sourceServerId, ...others } = input as { sourceServerId: string };
    expect(others).toEqual(expected);
  }
});

it("restores a time, and plans it with its cost", async () => {
  const { restore, masterId } = await database();
  const time = daysAgo(2);
  const planned = await owner.post(`${restore}?dry_run=true`, { restore: { time } });
  expect(planned.body.plan).toMatchObject({
    stages: ["create-firewall", "create-master", "create-provider-credentials"],
    estimate: expect.anything(),
  });
  const { body } = await owner.post(restore, { restore: { time } });
  const { input } = await db.request.findUniqueOrThrow({ where: { id: body.request.id } });
  expect(input).toMatchObject({ sourceServerId: masterId, restoreTime: time });
});

it("restores a snapshot of a database that no longer exists, without its removed environment", async () => {
  const environment = await createEnvironment(db, provider);
  const { id, masterId, restore } = await database({ environmentId: environment.id });
  const { id: snapshotId } = await snapshotOf(masterId, 40);
  await db.databaseServerSnapshot.update({ where: { id: snapshotId }, data: { version: "5.6.22" } });
  const deletedAt = new Date();
  await db.environment.update({ where: { id: environment.id }, data: { deletedAt } });
  await db.databaseServer.update({ where: { id: masterId }, data: { deletedAt } });
  await db.databaseService.update({ where: { id }, data: { deletedAt } });
  expect((await owner.post(restore, { restore: { latest: true } })).status).toBe(409);
  const { body } = await owner.post(restore, { restore: { database_server_snapshot: snapshotId } });
  const service = await db.databaseService.findUniqueOrThrow({
    where: { id: resourcePath(body).split("/").at(-1) ?? "" },
    include: { servers: true },
  });
  expect(service).toMatchObject({ version: "5.6.22", environmentId: null, servers: [{ storageGb: 40 }] });
  const removal = await owner.delete(`/database-server-snapshots/${snapshotId}`);
  expect([removal.status, removal.text]).toEqual([409, expect.stringContaining("provision_database_service")]);
});

it("keeps the source while it is restored", async () => {
  const { path, restore } = await database();
  await owner.post(restore, { restore: { latest: true } });
  const removal = await owner.delete(path);
  expect([removal.status, removal.text]).toEqual([409, expect.stringContaining("provision_database_service")]);
});

it.each<[title: string, body: object, sentence: RegExp]>([
  ["no source", { restore: {} }, /^restore: must have one of time, latest, database_server_snapshot; none/],
  [
    "two sources",
    { restore: { latest: true, time: daysAgo(1) } },
    /^restore: must have one of .*; time and latest are given/,
  ],
  ["a time in the future", { restore: { time: daysAgo(-1) } }, /^restore.time: is in the future/],
  [
    "a time before the retention",
    { restore: { time: daysAgo(9) } },
    /^restore.time: is before the backup retention period of 7 days/,
  ],
  [
    "a time before the database",
    { restore: { time: "2025-12-31T00:00:00Z" } },
    /^restore.time: is before the database was created; choose a time after 2026-01-01/,
  ],
  [
    "less storage",
    { restore: { latest: true }, database_server: { storage: 19 } },
    /^database_server.storage: must be at least the 20 GB of the source/,
  ],
  ["the latest time refused", { restore: { latest: false } }, /^restore.latest: must be true$/],
  ["another engine", { restore: { latest: true }, database_server: { engine: "postgres" } }, /database_server.engine/],
  [
    "an unknown flavor",
    { restore: { latest: true }, database_server: { flavor: "m3.medium" } },
    /^database_server.flavor: m3.medium is not a flavor for mysql/,
  ],
])("refuses %s and writes nothing", async (_title, body, sentence) => {
  const { restore } = await database();
  await expectRefusal(db, () => owner.post(restore, body), sentence);
});

it("refuses a snapshot that is of another database, or not complete", async () => {
  const { restore, masterId } = await database();
  const other = await database();
  const foreign = await snapshotOf(other.masterId);
  const send = (id: string) => owner.post(restore, { restore: { database_server_snapshot: id } });
  const refused = await send(foreign.id);
  expect([refused.status, refused.body.errors[0]]).toEqual([
    422,
    expect.stringContaining(`but of database service ${other.id}; restore that one`),
  ]);
  const { id } = await addSnapshot(db, tenant(), masterId);
  const unfinished = await send(id);
  expect([unfinished.status, unfinished.text]).toEqual([409, expect.stringContaining("is starting, not available")]);
});

it("refuses Aurora, a database that is being provisioned, and viewers", async () => {
  const aurora = await database({ engine: "aurora", version: "5.6.10a", flavor: "db.r3.large" });
  const latest = { restore: { latest: true } };
  expect((await owner.post(aurora.restore, latest)).body.errors[0]).toMatch(/Gantry does not restore Aurora clusters/);
  const { restore, masterId } = await database();
  await db.databaseServer.update({ where: { id: masterId }, data: { provisionedId: null } });
  expect((await owner.post(restore, latest)).status).toBe(409);
  const viewer = await createCaller(api, { accountId: owner.accountId, role: "viewer" });
  expect((await viewer.post(restore, latest)).status).toBe(403);
});

it("retries a restore while its source still has what it restores", async () => {
  const { restore, masterId } = await database();
  const { id: snapshotId } = await snapshotOf(masterId);
  const { body } = await owner.post(restore, { restore: { database_server_snapshot: snapshotId } });
  const data = { finishedAt: new Date(), successful: false };
  await db.request.update({ where: { id: body.request.id }, data });
  await db.databaseServerSnapshot.update({ where: { id: snapshotId }, data: { deletedAt: new Date() } });
  const retry = () => owner.post(`/requests/${body.request.id}/retry`);
  expect((await retry()).status).toBe(409);
  await db.databaseServerSnapshot.update({ where: { id: snapshotId }, data: { deletedAt: null } });
  expect((await retry()).status).toBe(200);
});
