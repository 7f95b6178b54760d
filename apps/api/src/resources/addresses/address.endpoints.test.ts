import type { Environment, Provider } from "@gantry/db";
import {
  countRows,
  createAddress,
  createCaller,
  createEnvironment,
  createProvider,
  createServer,
  OTHER_REGION,
  REGION,
  startTestApi,
  type TestApi,
  type TestCaller,
  ZONE,
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

const take = (id = provider.id, location = REGION) => owner.post("/addresses", { provider: id, address: { location } });
const end = (id: string) => api.db.request.update({ where: { id }, data: { finishedAt: new Date() } });

it("takes an address, and shows it before it is there", async () => {
  const { status, body } = await take();
  expect([status, body.request.type]).toEqual([200, "address_provision"]);
  const { address } = (await owner.get(new URL(body.request.resource).pathname)).body;
  expect(address).toMatchObject({ ip_address: null, location: REGION, provisioned_id: null, server: null });
  const listed = (await owner.get(`/accounts/${owner.accountId}/addresses?location=${REGION}`)).body.addresses;
  expect(listed).toContainEqual(address);
});

it.each([
  ["an unknown region", { location: "mars-1" }, /address.location: provider \d+ has no region mars-1/],
  ["a zone", { location: ZONE }, /has no region us-east-1a/],
  [
    "an address of one's own choice",
    { location: REGION, ip_address: "192.0.2.1" },
    "found unpermitted parameters: address.ip_address",
  ],
])("refuses %s and takes nothing", async (_name, address, sentence) => {
  const before = await countRows(api.db);
  const { status, body } = await owner.post("/addresses", { provider: provider.id, address });
  expect(status).toBe(422);
  expect(body.errors).toEqual([typeof sentence === "string" ? sentence : expect.stringMatching(sentence)]);
  expect(await countRows(api.db)).toEqual(before);
});

it("keeps a region's limit whoever asks at once, and counts each region by itself", async () => {
  const { id } = await createProvider(api.db, owner.accountId);
  const answers = await Promise.all(Array.from({ length: 9 }, () => take(id)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
  const refused = answers.find(({ status }) => status === 409);
  expect(refused?.body.errors).toEqual([
    "the limit of 5 addresses in us-east-1 leaves no room for 1 more: there are 5",
  ]);
  expect((await take(id, OTHER_REGION)).status).toBe(200);
  const { id: requestId, resourceId } = await api.db.request.findFirstOrThrow({
    where: { type: "address_provision", resourceId: { not: null } },
    orderBy: { seq: "desc" },
  });
  await api.db.address.update({ where: { id: Number(resourceId) }, data: { deletedAt: new Date() } });
  await end(requestId);
  await api.db.providerLocation.updateMany({ where: { providerId: id }, data: { addressLimit: 0 } });
  expect((await owner.post(`/requests/${requestId}/retry`)).body.errors).toEqual([
    "the limit of 0 addresses in eu-west-1 leaves no room for 1 more: there are 0",
  ]);
});

it("attaches an address to a server, once and to one alone", async () => {
  const [address, background] = [await createAddress(api.db, provider), await createAddress(api.db, provider)];
  const [server, other] = [await createServer(api.db, environment), await createServer(api.db, environment)];
  const attach = (id: number, to: number) => owner.post(`/addresses/${id}/attach`, { server: to });
  const answers = await Promise.all([
    attach(address.id, server.id),
    attach(address.id, other.id),
    attach(background.id, server.id),
  ]);
  expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(0);
  const accepted = await api.db.request.findMany({ where: { type: "attach_address", finishedAt: null } });
  expect(new Set(accepted.map(({ resourceId }) => resourceId)).size).toBe(accepted.length);
  expect(new Set(accepted.map(({ input }) => (input as { serverId: number }).serverId)).size).toBe(accepted.length);
  for (const { id } of accepted) await end(id);

  const { body } = await attach(address.id, server.id);
  expect(body.request).toMatchObject({
    type: "attach_address",
    resource: `http://gantry.test/addresses/${address.id}`,
  });
  expect((await owner.delete(`/addresses/${address.id}`)).status).toBe(409);
  await end(body.request.id);
  await api.db.address.update({ where: { id: address.id }, data: { serverId: server.id } });
  await api.db.server.update({ where: { id: server.id }, data: { addressId: address.id } });
  expect((await attach(address.id, other.id)).body.errors).toEqual([
    `the address ${address.id} is attached to server ${server.id}`,
  ]);
  expect((await attach(background.id, server.id)).body.errors).toEqual([
    `the server ${server.id} has address ${address.id} already`,
  ]);
  expect((await owner.delete(`/addresses/${address.id}`)).body.errors).toEqual([
    `the address ${address.id} is attached to server ${server.id}`,
  ]);
  expect((await owner.get(`/addresses?server=${server.id}`)).body.addresses).toHaveLength(1);
  expect((await owner.post(`/addresses/${address.id}/detach`)).body.request.type).toBe("detach_address");
  expect((await owner.post(`/addresses/${address.id}/detach`)).status).toBe(409);
});

it("attaches only to a server that is there, in the same region", async () => {
  const { id } = await createAddress(api.db, provider);
  const attach = async (changes: object) => {
    const server = await createServer(api.db, environment, changes);
    return (await owner.post(`/addresses/${id}/attach`, { server: server.id })).status;
  };
  expect(await attach({ provisionedId: null, state: "pending" })).toBe(409);
  expect(await attach({ state: "terminated" })).toBe(409);
  expect(await attach({ deletedAt: new Date() })).toBe(409);
  expect(await attach({ region: OTHER_REGION })).toBe(422);
  expect((await owner.post(`/addresses/${id}/detach`)).body.errors).toEqual([
    `the address ${id} is not attached to a server`,
  ]);
  expect(await attach({ state: "stopped" })).toBe(200);
});

it("gives an address back once", async () => {
  const { id } = await createAddress(api.db, provider);
  const { body } = await owner.delete(`/addresses/${id}`);
  expect(body.request).toMatchObject({ type: "deprovision_address_request" });
  expect((await owner.delete(`/addresses/${id}`)).status).toBe(409);
  await end(body.request.id);
  await api.db.address.update({ where: { id }, data: { deletedAt: new Date() } });
  expect((await owner.delete(`/addresses/${id}`)).body.errors).toEqual([`the address ${id} was already deleted`]);
});

it("knows no address or server of another account, wherever it is named", async () => {
  const stranger = await createCaller(api);
  const theirs = await createProvider(api.db, stranger.accountId);
  const foreign = await createServer(api.db, await createEnvironment(api.db, theirs));
  const { id } = await createAddress(api.db, provider);
  const before = await countRows(api.db);
  expect((await owner.post(`/addresses/${id}/attach`, { server: foreign.id })).status).toBe(404);
  expect((await stranger.post(`/addresses/${id}/attach`, { server: foreign.id })).status).toBe(404);
  expect((await take(theirs.id)).status).toBe(404);
  for (const path of [`/addresses/${id}`, `/accounts/${owner.accountId}/addresses`]) {
    expect((await stranger.get(path)).status).toBe(404);
  }
  expect((await stranger.delete(`/addresses/${id}`)).status).toBe(404);
  expect(await countRows(api.db)).toEqual(before);
});
