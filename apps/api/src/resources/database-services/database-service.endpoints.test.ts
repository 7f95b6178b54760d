import { randomUUID } from "node:crypto";
import {
  createEnvironment,
  createNetwork,
  createProvider,
  createSubnet,
  OTHER_ZONE,
  ZONE,
} from "@gantry/test/support/api";
import { expectRefusal, resourcePath, startApiTest } from "@gantry/test/support/api-test";
import { createDatabase } from "@gantry/test/support/databases";

const { api, db, owner, provider } = await startApiTest();
const network = await createNetwork(db, provider);
await addSubnet(network.id, ZONE);
await addSubnet(network.id, "us-east-1b");

function addSubnet(networkId: string, location: string) {
  return createSubnet(
    db,
    { accountId: owner.accountId, id: networkId },
    { location, cidr: `10.0.${location.charCodeAt(9)}.0/24`, provisionedId: `subnet-${location}` },
  );
}

const mysql = { engine: "mysql", version: "5.7.17", flavor: "db.m4.large", location: ZONE };
const inputWith = (server: object = {}, service: object = {}, extra: object = {}) => ({
  provider: provider.id,
  database_service: service,
  database_server: { ...mysql, ...server },
  ...extra,
});
const tenant = () => ({ accountId: owner.accountId, provider });

it("accepts a database with all parameters, and shows it and its master at once", async () => {
  const server = {
    storage: 100,
    modifiers: { multi_az: true, storage_type: "gp2" },
    backup_retention_period: 35,
    backup_window: { start_time: { hour: "23", minute: "30" }, duration: 1.5 },
    storage_encrypted: true,
  };
  const service = { name: "main", notes: "ours", service_level: "level-2", email_alert_level: 3 };
  const { status, body } = await owner.post("/database-services", inputWith(server, service, { network: network.id }));
  expect([status, body.request?.type]).toEqual([200, "provision_database_service"]);
  const path = resourcePath(body);
  const { database_service: shown } = (await owner.get(path)).body;
  expect(shown).toMatchObject({
    ...{ name: "main", notes: "ours", service_level: "level-2", email_alert_level: 3, engine: "mysql" },
    ...{ db_engine_type: "mysql", version: "5.7.17", location: "us-east-1", db_master_multi_az: true },
    ...{ db_master_flavor: "db.m4.large", db_replica_count: 0, username: "gantry", vpc_provisioned_id: "vpc-1" },
    network: `http://gantry.test/networks/${network.id}`,
    service_plan: "http://gantry.test/service-plans/level-2",
  });
  const { database_servers: servers } = (await owner.get(`${path}/servers`)).body;
  expect(servers).toEqual([
    expect.objectContaining({
      ...{ storage: 100, storage_type: "gp2", storage_encrypted: true, backup_retention_period: 35 },
      ...{ location: ZONE, endpoint: null, provisioned_id: null, replication_source: null },
      backup_window: { start: { hour: "23", minute: "30" }, duration: "1.5" },
      preferred_maintenance_window: {
        start: { day: "monday", hour: "01", minute: "30" },
        end: { day: "monday", hour: "02", minute: "00" },
      },
      modifiers: { storage_type: "gp2", multi_az: true },
      password: null,
    }),
  ]);
  const firewall = await db.firewall.findFirstOrThrow({ where: { databaseServiceId: shown.id } });
  expect(firewall).toMatchObject({ region: "us-east-1", vpcProvisionedId: "vpc-1", provisionedId: null });
});

it("fills in the name, the engine of the version, the level and the windows", async () => {
  const { engine: _engine, ...server } = { ...mysql, version: "9.6.3" };
  const { body } = await owner.post("/database-services", { provider: provider.id, database_server: server });
  const shown = (await owner.get(resourcePath(body))).body.database_service;
  expect(shown).toMatchObject({ engine: "postgres", service_level: "community", email_alert_level: 2, network: null });
  expect(shown.name).toMatch(/^postgres-[0-9a-f]{8}$/);
  const plan = await owner.post("/database-services?dry_run=true", inputWith());
  expect(plan.body.plan.stages).toEqual(["create-firewall", "create-master", "create-provider-credentials"]);
});

it("treats self-service as platform-only", async () => {
  const { body } = await owner.post("/database-services", inputWith({}, { service_level: "self-service" }));
  const shown = (await owner.get(resourcePath(body))).body.database_service;
  expect(shown.service_level).toBe("platform-only");
});

const tooLate = { start_time: { hour: "24", minute: "00" }, duration: 1 };
it.each([
  [
    "an unknown engine",
    { engine: "oracle" },
    {},
    /engine: oracle is not an engine; use one of mysql, postgres, aurora/,
  ],
  ["another engine's version", { version: "9.6.3" }, {}, /version: 9.6.3 is not a version of mysql; use one of 5.6.22/],
  [
    "an unknown flavor",
    { flavor: "m3.medium" },
    {},
    /flavor: m3.medium is not a flavor for mysql; use one of db.t2.mi/,
  ],
  ["an unknown zone", { location: "us-east-1z" }, {}, /has no zone us-east-1z; use one of us-east-1a/],
  ["a region for a zone", { location: "us-east-1" }, {}, /has no zone us-east-1/],
  ["an hour of 24", { backup_window: tooLate }, {}, /hour: must be two digits, from 00 to 23/],
  ["too little storage", { storage: 1 }, {}, /storage: must be between 20 and 65536 GB/],
  ["level-2 without Multi-AZ", {}, { service_level: "level-2" }, /level-2 requires modifiers.multi_az/],
  [
    "level-3 without Multi-AZ",
    { modifiers: { multi_az: false } },
    { service_level: "level-3" },
    /level-3 requires modifiers.multi_az/,
  ],
  [
    "an unencryptable flavor",
    { flavor: "db.t2.micro", storage_encrypted: true },
    {},
    /db.t2.micro cannot be encrypted/,
  ],
])("refuses %s and writes nothing", async (_name, server, service, sentence) => {
  await expectRefusal(db, () => owner.post("/database-services", inputWith(server, service)), sentence);
});

const aurora = { engine: "aurora", version: "5.6.10a", flavor: "db.r3.large" };
it.each([
  ["a size of storage", { ...aurora, storage: 100 }, /storage: aurora's storage grows automatically/],
  ["Multi-AZ", { ...aurora, modifiers: { multi_az: true } }, /multi_az: aurora always stores its data in three zones/],
  ["a small flavor", { ...aurora, flavor: "db.t2.micro" }, /db.t2.micro is not a flavor for aurora/],
])("refuses %s for aurora", async (_name, server, sentence) => {
  await expectRefusal(db, () => owner.post("/database-services", inputWith(server)), sentence);
});

it("refuses a network in which RDS cannot create a database", async () => {
  const send = (id: string, server: object = {}) =>
    owner.post("/database-services", inputWith(server, {}, { network: id }));
  const sentence = async (id: string, server?: object) => (await send(id, server)).body.errors?.[0];
  const small = await createNetwork(db, provider);
  await addSubnet(small.id, ZONE);
  expect(await sentence(small.id)).toMatch(/^network: has subnets in fewer than two zones/);
  const elsewhere = await createNetwork(db, provider);
  await addSubnet(elsewhere.id, "us-east-1b");
  await addSubnet(elsewhere.id, "us-east-1c");
  expect(await sentence(elsewhere.id)).toMatch(/no subnet in us-east-1a; it has subnets in us-east-1b, us-east-1c/);
  expect(await sentence(network.id, { location: OTHER_ZONE })).toBe("network: is in us-east-1, not in eu-west-1");
  const other = await createNetwork(db, await createProvider(db, owner.accountId));
  expect(await sentence(other.id)).toBe(`network: does not belong to provider ${provider.id}`);
  const pending = await createNetwork(db, provider, { provisionedId: null });
  expect((await send(pending.id)).status).toBe(409);
  expect((await send(randomUUID())).status).toBe(404);
});

it("changes a database's record within the rules of its level", async () => {
  const { id } = await createDatabase(db, api.env, tenant());
  const change = (database_service: object) => owner.put(`/database-services/${id}`, { database_service });
  const all = { name: "renamed", notes: null, service_level: "premium", email_alert_level: 1 };
  const { status, body } = await change(all);
  expect([status, body.database_service]).toEqual([200, expect.objectContaining(all)]);
  expect((await change({ service_level: "level-3" })).status).toBe(422);
  expect((await change({ engine: "postgres" })).status).toBe(422);
  await createDatabase(db, api.env, tenant());
  const taken = await db.databaseService.findFirstOrThrow({ where: { id: { not: id }, deletedAt: null } });
  const refused = await change({ name: taken.name });
  expect([refused.status, refused.body.errors]).toEqual([409, [expect.stringContaining(taken.id)]]);
});

it("removes a database once, with a final snapshot on demand", async () => {
  const { id, masterId } = await createDatabase(db, api.env, tenant());
  const { body } = await owner.delete(`/database-services/${id}?final_snapshot=true`);
  expect(body.request).toMatchObject({
    type: "deprovision_database_service",
    resource: `http://gantry.test/database-services/${id}`,
  });
  const [snapshot] = await db.databaseServerSnapshot.findMany({ where: { databaseServerId: masterId } });
  const { input } = await db.request.findUniqueOrThrow({ where: { id: body.request.id } });
  expect(input).toEqual({ finalSnapshotId: snapshot?.id });
  expect((await owner.delete(`/database-services/${id}`)).status).toBe(409);
  await db.databaseService.update({ where: { id }, data: { deletedAt: new Date() } });
  expect((await owner.delete(`/database-services/${id}`)).body.errors[0]).toMatch(/was already deleted/);
  const { body: pending } = await owner.post("/database-services", inputWith());
  const path = new URL(pending.request.resource).pathname;
  expect((await owner.delete(`${path}?final_snapshot=true`)).status).toBe(409);
  expect((await owner.delete(path)).status).toBe(200);
});

it("refuses to remove a protected database, also by a dry run or a retry, until its protection is lifted", async () => {
  const { id, masterId } = await createDatabase(db, api.env, tenant());
  const path = `/database-services/${id}`;
  const protect = (isOn: boolean) => owner.put(path, { database_service: { deletion_protection: isOn } });
  expect((await owner.get(path)).body.database_service.deletion_protection).toBe(false);
  const { body: removal } = await owner.delete(path);
  expect((await protect(true)).status).toBe(409);
  const failed = { where: { id: removal.request.id }, data: { finishedAt: new Date(), successful: false } };
  await db.request.update(failed);
  expect((await protect(true)).body.database_service.deletion_protection).toBe(true);
  const calls = [
    () => owner.delete(path),
    () => owner.delete(`${path}?dry_run=true`),
    () => owner.post(`/requests/${removal.request.id}/retry`),
  ];
  for (const call of calls) {
    const { status, body } = await call();
    expect([status, body.errors]).toEqual([409, [expect.stringContaining("`deletion_protection`: false")]]);
    expect(body.blocking).toEqual([`http://gantry.test${path}`]);
  }
  const { body: replica } = await owner.post("/database-servers", { replication_source: masterId });
  const replicaPath = new URL(replica.request.resource).pathname;
  expect((await owner.delete(replicaPath)).status).toBe(200);
  await protect(false);
  expect((await owner.delete(path)).status).toBe(200);
});

it("provisions a protected database", async () => {
  const { body } = await owner.post("/database-services", inputWith({}, { deletion_protection: true }));
  const { pathname } = new URL(body.request.resource);
  expect((await owner.get(pathname)).body.database_service.deletion_protection).toBe(true);
  expect((await owner.delete(pathname)).status).toBe(409);
});

it("goes on with the final snapshot of a removal that failed", async () => {
  const { id, masterId } = await createDatabase(db, api.env, tenant());
  const remove = async () => (await owner.delete(`/database-services/${id}`)).body.request.id as string;
  const inputOf = async (requestId: string) =>
    (await db.request.findUniqueOrThrow({ where: { id: requestId } })).input as { finalSnapshotId: string };
  const fail = (requestId: string) =>
    db.request.update({ where: { id: requestId }, data: { finishedAt: new Date(), message: "interrupted" } });
  const first = await remove();
  await fail(first);
  const second = await remove();
  expect(await inputOf(second)).toEqual(await inputOf(first));
  const snapshots = { where: { databaseServerId: masterId } };
  expect(await db.databaseServerSnapshot.count(snapshots)).toBe(1);
  await fail(second);
  await db.databaseServerSnapshot.updateMany({ ...snapshots, data: { state: "failed" } });
  expect(await inputOf(await remove())).not.toEqual(await inputOf(first));
});

it("prevents the removal of its network and its provider", async () => {
  const own = await createProvider(db, owner.accountId);
  const { id: networkId } = await createNetwork(db, own);
  const { id } = await createDatabase(db, api.env, { ...tenant(), provider: own }, { networkId });
  const refused = await owner.delete(`/networks/${networkId}`);
  expect([refused.status, refused.body.errors]).toEqual([
    409,
    [`network ${networkId} still contains: database service ${id}`],
  ]);
  expect((await owner.delete(`/providers/${own.id}`)).body.errors[0]).toContain(`database service ${id}`);
});

it("accepts only an environment in its network", async () => {
  const inDefaultVpc = await createEnvironment(db, provider);
  const send = (environment: number, extra: object = {}) =>
    owner.post("/database-services", inputWith({}, {}, { environment, ...extra }));
  const { body } = await send(inDefaultVpc.id);
  const { database_services: found } = (await owner.get(`/environments/${inDefaultVpc.id}/database_services`)).body;
  expect(found.map(({ id }: { id: string }) => body.request.resource.endsWith(id))).toEqual([true]);
  expect((await owner.get(`/database-services?environment=${inDefaultVpc.id}`)).body.database_services).toEqual(found);
  const refused = await send(inDefaultVpc.id, { network: network.id });
  expect([refused.status, refused.body.errors]).toEqual([422, ["environment: is not in the database's network"]]);
  const elsewhere = await createEnvironment(db, provider, { region: "eu-west-1" });
  expect((await send(elsewhere.id)).body.errors[0]).toBe(`environment: is not in us-east-1 of provider ${provider.id}`);
  await db.environment.update({ where: { id: elsewhere.id }, data: { deletedAt: new Date() } });
  expect((await send(elsewhere.id)).status).toBe(409);
});

it("restores a database whose provision failed, with its master and its firewall", async () => {
  const { id, masterId, firewallId, requestId } = await createDatabase(db, api.env, tenant());
  const deletedAt = new Date();
  await db.databaseService.update({ where: { id }, data: { deletedAt } });
  await db.databaseServer.update({ where: { id: masterId }, data: { deletedAt } });
  await db.firewall.update({ where: { id: firewallId }, data: { deletedAt } });
  await db.request.update({ where: { id: requestId }, data: { successful: false } });
  expect((await owner.post(`/requests/${requestId}/retry`)).status).toBe(200);
  const { servers } = await db.databaseService.findUniqueOrThrow({
    where: { id, deletedAt: null },
    include: { servers: { where: { deletedAt: null } } },
  });
  expect(servers.map((server) => server.id)).toEqual([masterId]);
  expect((await db.firewall.findUniqueOrThrow({ where: { id: firewallId } })).deletedAt).toBeNull();
});
