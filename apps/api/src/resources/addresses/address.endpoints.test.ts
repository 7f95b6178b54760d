import {
  createAddress,
  createEnvironment,
  createNetwork,
  createProvider,
  createServer,
  createSubnet,
  OTHER_REGION,
  REGION,
  ZONE,
} from "@gantry/test/support/api";
import { endRequest, expectRefusal, resourcePath, startApiTest } from "@gantry/test/support/api-test";

const { db, owner, provider } = await startApiTest();
const environment = await createEnvironment(db, provider);

const take = (id = provider.id, location = REGION) => owner.post("/addresses", { provider: id, address: { location } });

it("has the scope vpc, whether or not the caller sends it", async () => {
  const ask = (more: object) =>
    owner.post("/addresses", { provider: provider.id, address: { location: REGION, ...more } });
  for (const more of [{}, { scope: null }, { scope: "vpc" }]) {
    const { status, body } = await ask(more);
    expect([status, (await owner.get(resourcePath(body))).body.address.scope]).toEqual([200, "vpc"]);
  }
  await expectRefusal(db, () => ask({ scope: "standard" }), /^address.scope: /);
});

it("accepts an address, and shows it before AWS allocates it", async () => {
  const { status, body } = await take();
  expect([status, body.request.type]).toEqual([200, "address_provision"]);
  const { address } = (await owner.get(resourcePath(body))).body;
  expect(address).toMatchObject({ ip_address: null, location: REGION, provisioned_id: null, server: null });
  const listed = (await owner.get(`/accounts/${owner.accountId}/addresses?location=${REGION}`)).body.addresses;
  expect(listed).toContainEqual(address);
});

it.each([
  ["an unknown region", { location: "mars-1" }, /address.location: provider \d+ has no region mars-1/],
  ["a zone", { location: ZONE }, /has no region us-east-1a/],
])("refuses %s and writes nothing", async (_name, address, sentence) => {
  await expectRefusal(db, () => owner.post("/addresses", { provider: provider.id, address }), sentence);
});

it("keeps each region's limit under concurrent inputs", async () => {
  const { id } = await createProvider(db, owner.accountId);
  const answers = await Promise.all(Array.from({ length: 9 }, () => take(id)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
  const refused = answers.find(({ status }) => status === 409);
  expect(refused?.body.errors).toEqual([
    "the limit of 5 addresses in us-east-1 would be exceeded: 5 exist and 1 more are needed",
  ]);
  expect((await take(id, OTHER_REGION)).status).toBe(200);
  const { id: requestId, resourceId } = await db.request.findFirstOrThrow({
    where: { type: "address_provision", resourceId: { not: null } },
    orderBy: { seq: "desc" },
  });
  await db.address.update({ where: { id: Number(resourceId) }, data: { deletedAt: new Date() } });
  await endRequest(db, requestId, false);
  await db.providerLocation.updateMany({ where: { providerId: id }, data: { addressLimit: 0 } });
  expect((await owner.post(`/requests/${requestId}/retry`)).body.errors).toEqual([
    "the limit of 0 addresses in eu-west-1 would be exceeded: 0 exist and 1 more are needed",
  ]);
});

it("attaches an address to one server, and one address to a server", async () => {
  const [address, spare] = [await createAddress(db, provider), await createAddress(db, provider)];
  const [server, other] = [await createServer(db, environment), await createServer(db, environment)];
  const attach = (id: number, to: number) => owner.post(`/addresses/${id}/attach`, { server: to });
  const answers = await Promise.all([
    attach(address.id, server.id),
    attach(address.id, other.id),
    attach(spare.id, server.id),
  ]);
  expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(0);
  const accepted = await db.request.findMany({ where: { type: "attach_address", finishedAt: null } });
  expect(new Set(accepted.map(({ resourceId }) => resourceId)).size).toBe(accepted.length);
  expect(new Set(accepted.map(({ input }) => (input as { serverId: number }).serverId)).size).toBe(accepted.length);
  for (const { id } of accepted) await endRequest(db, id);

  const { body } = await attach(address.id, server.id);
  expect(body.request).toMatchObject({
    type: "attach_address",
    resource: `http://gantry.test/addresses/${address.id}`,
  });
  expect((await owner.delete(`/addresses/${address.id}`)).status).toBe(409);
  await endRequest(db, body.request.id);
  await db.address.update({ where: { id: address.id }, data: { serverId: server.id } });
  await db.server.update({ where: { id: server.id }, data: { addressId: address.id } });
  expect((await attach(address.id, other.id)).body.errors).toEqual([
    `address ${address.id} is attached to server ${server.id}`,
  ]);
  expect((await attach(spare.id, server.id)).body.errors).toEqual([
    `server ${server.id} already has address ${address.id}`,
  ]);
  expect((await owner.delete(`/addresses/${address.id}`)).body.errors).toEqual([
    `address ${address.id} is attached to server ${server.id}`,
  ]);
  expect((await owner.get(`/addresses?server=${server.id}`)).body.addresses).toHaveLength(1);
  expect((await owner.post(`/addresses/${address.id}/detach`)).body.request.type).toBe("detach_address");
  expect((await owner.post(`/addresses/${address.id}/detach`)).status).toBe(409);
});

it("refuses a server that does not exist in AWS, is in another region or in a private subnet", async () => {
  const { id } = await createAddress(db, provider);
  const attach = async (changes: object) => {
    const server = await createServer(db, environment, changes);
    return (await owner.post(`/addresses/${id}/attach`, { server: server.id })).status;
  };
  expect(await attach({ provisionedId: null, state: "pending" })).toBe(409);
  expect(await attach({ state: "terminated" })).toBe(409);
  expect(await attach({ deletedAt: new Date() })).toBe(409);
  expect(await attach({ region: OTHER_REGION })).toBe(422);
  const hidden = await createSubnet(db, await createNetwork(db, provider), { private: true });
  expect(await attach({ subnetId: hidden.id })).toBe(422);
  expect((await owner.post(`/addresses/${id}/detach`)).body.errors).toEqual([
    `address ${id} is not attached to a server`,
  ]);
  expect(await attach({ state: "stopped" })).toBe(200);
});

it("releases an address once", async () => {
  const { id } = await createAddress(db, provider);
  const { body } = await owner.delete(`/addresses/${id}`);
  expect(body.request).toMatchObject({ type: "deprovision_address_request" });
  expect((await owner.delete(`/addresses/${id}`)).status).toBe(409);
  await endRequest(db, body.request.id);
  await db.address.update({ where: { id }, data: { deletedAt: new Date() } });
  expect((await owner.delete(`/addresses/${id}`)).body.errors).toEqual([`address ${id} was already deleted`]);
});
