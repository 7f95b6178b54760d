import { Prisma } from "@gantry/db";
import { collectionOf, partsOf, type ResourceType } from "@gantry/resources";
import {
  countRows,
  createAddress,
  createCaller,
  createEnvironment,
  createFirewall,
  createServer,
  createVolume,
  REGION,
  type TestCaller,
  ZONE,
} from "@gantry/test/support/api";
import { endRequest, startApiTest } from "@gantry/test/support/api-test";
import { createDatabase } from "@gantry/test/support/databases";

const { api, db, owner, provider } = await startApiTest();
const { accountId } = owner;
const admin = await createCaller(api, { accountId, role: "admin" });
const member = await createCaller(api, { accountId, role: "member" });
let environment: Awaited<ReturnType<typeof createEnvironment>>;
beforeEach(async () => {
  environment = await createEnvironment(db, provider);
});

/** Fails the Request of an answer as a worker does: a provision's record and its parts are deleted. */
async function failed({ status, body }: { status: number; body: { request: { id: string }; errors?: string[] } }) {
  expect([status, body.errors]).toEqual([200, undefined]);
  await endRequest(db, body.request.id, false);
  const request = await db.request.findUniqueOrThrow({ where: { id: body.request.id } });
  const type = request.resourceType as ResourceType;
  const id = request.resourceId as string;
  const isCreation = /^provision_|_provision$/.test(request.type);
  if (isCreation) {
    for (const part of partsOf(type))
      await db.$executeRaw`UPDATE ${tableOf(part)} SET deleted_at = '2026-01-01' WHERE ${Prisma.raw(`${type}_id`)}::text = ${id}`;
    await db.$executeRaw`UPDATE ${tableOf(type)} SET deleted_at = '2026-01-01' WHERE id::text = ${id}`;
  }
  return { path: `/requests/${request.id}/retry`, type, id };
}
const tableOf = (type: ResourceType) => Prisma.raw(collectionOf(type).replaceAll("-", "_"));

const retry = (caller: TestCaller, path: string) => caller.post(path);

async function expectRetry(caller: TestCaller, path: string): Promise<void> {
  const { status, body } = await retry(caller, path);
  expect([status, body.errors]).toEqual([200, undefined]);
}

/** Expects that a retry is refused with only this error, and changes nothing. */
async function refuses(caller: TestCaller, { path }: { path: string }, error: string | RegExp): Promise<void> {
  const before = await countRows(db);
  const { status, body } = await retry(caller, path);
  expect([status >= 400 && status < 500, body.errors]).toEqual([
    true,
    [typeof error === "string" ? error : expect.stringMatching(error)],
  ]);
  expect(await countRows(db)).toEqual(before);
}

const newServer = (changes: object = {}) =>
  owner.post("/servers", { environment: environment.id, server: { role: "app", flavor: "m3.medium", ...changes } });

it("does not let callers retry a firewall rule that they could not add", async () => {
  const firewall = await createFirewall(db, environment);
  const rule = { source: "0.0.0.0/0", port_range: "22" };
  const add = (caller: TestCaller) => caller.post(`/firewalls/${firewall.id}/rules`, { firewall_rule: rule });
  const again = await failed(await add(admin));
  expect((await add(member)).status).toBe(403);
  await refuses(member, again, /^only an administrator can open 22/);
  const equal = await failed(await add(admin));
  await expectRetry(admin, again.path);
  await refuses(admin, equal, /already has this rule/);
});

it("lets only administrators retry what only they can request", async () => {
  const role = await failed(await admin.post("/iam_roles", { provider: provider.id, iam_role: { name: "shop" } }));
  await refuses(member, role, "your role in this account does not permit this operation");
  const check = await failed(await admin.post(`/providers/${provider.id}/check`));
  await refuses(member, check, "your role in this account does not permit this operation");
  await expectRetry(admin, check.path);
  const other = await admin.post("/iam_roles", { provider: provider.id, iam_role: { name: "shop" } });
  expect(other.status).toBe(200);
  await refuses(admin, role, /^the provider already has a role with this name/);
});

it("does not let others retry tag changes that only administrators can make", async () => {
  const id = crypto.randomUUID();
  const document = { assumeRolePolicyDocument: {}, instanceProfile: false, userManagedPolicy: false };
  await db.iamRole.create({
    data: { id, accountId, providerId: provider.id, name: id, path: "/", provisionedId: id, ...document },
  });
  expect((await admin.put(`/iam_roles/${id}`, { iam_role: { tags: { team: "shop" } } })).status).toBe(200);
  const request = await db.request.findFirstOrThrow({ where: { resourceId: id } });
  await endRequest(db, request.id, false);
  const path = `/requests/${request.id}/retry`;
  await refuses(member, { path }, "your role in this account does not permit this operation");
  await expectRetry(admin, path);
});

it("requires the scope for a retry", async () => {
  const again = await failed(await newServer());
  const reader = await createCaller(api, { accountId, scopes: ["read"] });
  await refuses(reader, again, "the token lacks the scope write");
});

it("does not retry an unencrypted volume or database if the account now requires encryption", async () => {
  const attributes = { location: ZONE, size: 10, encrypted: false };
  const volume = await failed(await owner.post("/volumes", { provider: provider.id, volume: attributes }));
  const server = { version: "9.6.3", flavor: "db.t2.medium", location: ZONE, storage_encrypted: false };
  const database = await failed(
    await owner.post("/database-services", { provider: provider.id, database_server: server }),
  );
  const machine = await failed(await newServer());
  await db.account.update({ where: { id: accountId }, data: { requiresEncryption: true } });
  await refuses(owner, volume, /because the account requires encryption/);
  await refuses(owner, database, /because the account requires encryption/);
  await expectRetry(owner, machine.path);
  const disks = await db.volume.findMany({ where: { serverId: Number(machine.id) } });
  expect(disks.map(({ encrypted, deletedAt }) => [encrypted, deletedAt])).toEqual(disks.map(() => [true, null]));
  await db.account.update({ where: { id: accountId }, data: { requiresEncryption: false } });
  await expectRetry(owner, volume.path);
});

it("does not retry a server or an address above the region's limit", async () => {
  const server = await failed(await newServer());
  const address = await failed(
    await owner.post("/addresses", { provider: provider.id, address: { location: REGION } }),
  );
  const region = { providerId: provider.id, locationId: REGION };
  const count = await db.server.count({ where: { providerId: provider.id, deletedAt: null } });
  const limit = (servers: number | null, addresses: number | null) =>
    db.providerLocation.updateMany({ where: region, data: { serverLimit: servers, addressLimit: addresses } });
  await limit(count, 0);
  await refuses(owner, server, /^the limit of \d+ servers/);
  await refuses(owner, address, /^the limit of 0 addresses/);
  await db.providerLocation.updateMany({ where: region, data: { disabledAt: new Date() } });
  await refuses(owner, address, /^address.location the region us-east-1 is disabled|the region us-east-1 is disabled/);
  await db.providerLocation.updateMany({ where: region, data: { disabledAt: null } });
  await limit(count + 1, 1);
  await expectRetry(owner, server.path);
  await expectRetry(owner, address.path);
  await limit(20, 5);
});

it("does not retry a server whose address, name or role is now taken", async () => {
  const address = await createAddress(db, provider, { provisionedId: "eipalloc-1" });
  const addressed = await failed(await newServer({ ip_id: address.id }));
  const named = await failed(await newServer({ name: "web" }));
  const master = await failed(await newServer({ role: "db_master" }));
  const holder = await createServer(db, environment, { name: "web", role: "db_master", provisionedId: "i-1" });
  await db.address.update({ where: { id: address.id }, data: { serverId: holder.id } });
  await refuses(owner, addressed, new RegExp(`address ${address.id} is attached to server ${holder.id}`));
  await refuses(owner, named, /already has a server with the name web/);
  await refuses(owner, master, /already has the database master/);
  await db.address.update({ where: { id: address.id }, data: { serverId: null } });
  await expectRetry(owner, addressed.path);
});

it("does not retry the attachment of what is now attached, and uses a free device", async () => {
  const server = await createServer(db, environment, { provisionedId: "i-2", state: "running" });
  const other = await createServer(db, environment, { provisionedId: "i-3", state: "running" });
  const volume = await createVolume(db, provider, { provisionedId: "vol-1", location: ZONE });
  const again = await failed(await owner.post(`/volumes/${volume.id}/attach`, { server: server.id }));
  await db.volume.update({ where: { id: volume.id }, data: { serverId: other.id } });
  await refuses(owner, again, `volume ${volume.id} is attached to server ${other.id}`);
  await db.volume.update({ where: { id: volume.id }, data: { serverId: null } });
  const { device } = (await db.request.findFirstOrThrow({ where: { resourceId: String(volume.id) } })).input as {
    device: string;
  };
  await createVolume(db, provider, { provisionedId: "vol-2", location: ZONE, serverId: server.id, device });
  await expectRetry(owner, again.path);
  const [, retried] = await db.request.findMany({
    where: { resourceType: "volume", resourceId: String(volume.id) },
    orderBy: { seq: "asc" },
  });
  expect(retried?.input).toEqual({ serverId: server.id, device: expect.not.stringMatching(device) });

  const address = await createAddress(db, provider, { provisionedId: "eipalloc-2" });
  const attachment = await failed(await owner.post(`/addresses/${address.id}/attach`, { server: server.id }));
  await db.address.update({ where: { id: address.id }, data: { serverId: other.id } });
  await refuses(owner, attachment, new RegExp(`address ${address.id} is attached to server ${other.id}`));
});

it("does not retry the removal of what is now needed or attached", async () => {
  const volume = await createVolume(db, provider, { provisionedId: "vol-3", location: ZONE });
  const again = await failed(await owner.delete(`/volumes/${volume.id}`));
  const server = await createServer(db, environment, { provisionedId: "i-4", role: "app" });
  await db.volume.update({ where: { id: volume.id }, data: { serverId: server.id } });
  await refuses(owner, again, `volume ${volume.id} is attached to server ${server.id}`);
  const removal = await failed(await owner.delete(`/servers/${server.id}?force=true`));
  await expectRetry(owner, removal.path);
});

it("does not retry an unforced removal of the last application server", async () => {
  const server = await createServer(db, environment, { provisionedId: "i-5", role: "app" });
  const other = await createServer(db, environment, { provisionedId: "i-6", role: "app" });
  const again = await failed(await owner.delete(`/servers/${server.id}`));
  await db.server.update({ where: { id: other.id }, data: { deletedAt: new Date() } });
  await refuses(owner, again, /is the last application server of environment/);
});

it("does not retry a database whose name is now taken, or a replica of a replica", async () => {
  const server = { version: "9.6.3", flavor: "db.t2.medium", location: ZONE };
  const input = { provider: provider.id, database_service: { name: "orders" }, database_server: server };
  const again = await failed(await owner.post("/database-services", input));
  const other = await owner.post("/database-services", input);
  expect(other.status).toBe(200);
  await refuses(owner, again, /^the account already has a database service with this name/);
  const { masterId } = await createDatabase(db, api.env, { accountId, provider });
  const replica = await failed(await owner.post("/database-servers", { replication_source: masterId }));
  await db.databaseServer.update({ where: { id: masterId }, data: { provisionedId: null } });
  await refuses(owner, replica, /is not provisioned yet/);
});

it("changes nothing in a dry run", async () => {
  const again = await failed(await newServer({ name: "dry" }));
  const { status, body } = await owner.post(`${again.path}?dry_run=true`);
  expect([status, body.plan.requests[0]]).toEqual([200, "provision_server"]);
  const { deletedAt } = await db.server.findUniqueOrThrow({ where: { id: Number(again.id) } });
  expect(deletedAt).not.toBeNull();
  await expectRetry(owner, again.path);
});
