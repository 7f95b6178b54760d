import { randomUUID } from "node:crypto";
import { createNetwork, OTHER_ZONE, ZONE } from "@gantry/test/support/api";
import { expectRefusal, resourcePath, startApiTest } from "@gantry/test/support/api-test";
import { createDatabase, DATABASE_PASSWORD } from "@gantry/test/support/databases";

const { api, db, owner, provider } = await startApiTest();

const database = (input = {}) => createDatabase(db, api.env, { accountId: owner.accountId, provider }, input);
const send = (replication_source: string, server: object = {}) =>
  owner.post("/database-servers", { replication_source, database_server: server });

it("accepts a replica with its master's attributes except for the given ones, and removes it once", async () => {
  const { id, masterId } = await database();
  const { body } = await send(masterId, { flavor: "db.r3.large" });
  expect(body.request.type).toBe("provision_database_server");
  const path = resourcePath(body);
  const { database_server: replica } = (await owner.get(path)).body;
  expect(replica).toMatchObject({
    ...{ flavor: "db.r3.large", location: ZONE, engine: "mysql", version: "5.7.17", storage: 20 },
    ...{ username: "gantry", password: DATABASE_PASSWORD, endpoint: null },
    replication_source: `http://gantry.test/database-servers/${masterId}`,
    database_service: `http://gantry.test/database-services/${id}`,
  });
  expect((await owner.get(`/database-services/${id}/servers`)).body.database_servers).toHaveLength(2);
  expect((await owner.get(`${path}/revisions`)).body).toEqual({ revisions: [] });
  expect((await owner.get(`${path}/messages`)).body).toEqual({ messages: [] });
  expect((await owner.delete(path)).body.request.type).toBe("deprovision_database_server");
  expect((await owner.delete(path)).status).toBe(409);
});

it("accepts the source of a replica next to its attributes, among them or in both, but never two sources", async () => {
  const [{ masterId }, { masterId: otherId }] = [await database(), await database()];
  const nested = { replication_source: masterId };
  for (const body of [
    { database_server: nested },
    { provider: provider.id, database_server: nested },
    { replication_source: `http://gantry.test/database-servers/${masterId}`, database_server: nested },
  ]) {
    const { status, body: answer } = await owner.post("/database-servers", body);
    expect([status, answer.errors]).toEqual([200, undefined]);
    const { database_server: replica } = (await owner.get(resourcePath(answer))).body;
    expect(replica.replication_source).toBe(`http://gantry.test/database-servers/${masterId}`);
  }
  const path = "database_server.replication_source";
  const two = await owner.post("/database-servers", { replication_source: otherId, database_server: nested });
  expect([two.status, two.body.details]).toEqual([
    422,
    [{ path, message: "names a different database server than replication_source" }],
  ]);
  const none = await owner.post("/database-servers", { database_server: {} });
  expect([none.status, none.body.missing]).toEqual([422, "replication_source"]);
});

it("refuses to delete a master, and names its database", async () => {
  const { id, masterId } = await database();
  const { status, body } = await owner.delete(`/database-servers/${masterId}`);
  expect([status, body.errors[0]]).toEqual([409, expect.stringContaining(`delete database service ${id}`)]);
});

it.each([
  ["an unknown flavor", { flavor: "m3.medium" }, /flavor: m3.medium is not a flavor for mysql/],
  ["a zone of another region", { location: OTHER_ZONE }, /has no zone eu-west-1a/],
])("refuses a replica with %s and writes nothing", async (_name, server, sentence) => {
  const { masterId } = await database();
  await expectRefusal(db, () => send(masterId, server), sentence);
});

it("refuses a replica in a zone without a subnet of its network", async () => {
  const { id: networkId } = await createNetwork(db, provider);
  const subnet = { id: randomUUID(), accountId: owner.accountId, networkId, cidr: "10.0.1.0/24" };
  await db.subnet.create({ data: { ...subnet, location: "us-east-1b", provisionedId: "subnet-b" } });
  const { masterId } = await database({ networkId });
  expect((await send(masterId)).body.errors[0]).toMatch(/the network has no subnet in us-east-1a/);
});

it("refuses a replica of a replica, of a pending server or a going database, and more replicas than RDS allows", async () => {
  const { id, masterId } = await database();
  const replicas = [];
  for (let i = 0; i < 15; i++) replicas.push(new URL((await send(masterId)).body.request.resource).pathname.slice(18));
  const next = await send(masterId);
  expect([next.status, next.body.errors[0]]).toEqual([409, expect.stringContaining("has 15 replicas")]);
  const replica = replicas[0] as string;
  expect((await send(replica)).status).toBe(409);
  await db.databaseServer.update({ where: { id: replica }, data: { provisionedId: "gantry-replica" } });
  expect((await send(replica)).body.errors[0]).toMatch(/is itself a replica/);
  await owner.delete(`/database-services/${id}`);
  expect((await owner.delete(`/database-servers/${replica}`)).status).toBe(409);
  expect((await send(randomUUID())).status).toBe(404);
  const going = await database();
  await owner.delete(`/database-services/${going.id}`);
  expect((await send(going.masterId)).body.errors[0]).toMatch(
    /has an unfinished request: deprovision_database_service/,
  );
});

it("never accepts a replica in a database that is being deprovisioned", async () => {
  for (let i = 0; i < 6; i++) {
    const { id, masterId } = await database();
    const [created, removed] = await Promise.all([send(masterId), owner.delete(`/database-services/${id}`)]);
    const { seq: madeAt = 0n } = (await db.request.findFirst({ where: { id: created.body.request?.id ?? id } })) ?? {};
    const { seq: removedAt } = await db.request.findUniqueOrThrow({ where: { id: removed.body.request.id } });
    expect([removed.status, madeAt < removedAt]).toEqual([200, true]);
  }
});
