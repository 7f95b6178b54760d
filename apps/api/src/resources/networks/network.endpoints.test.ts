import { randomUUID } from "node:crypto";
import type { Provider } from "@gantry/db";
import {
  countRows,
  createCaller,
  createNetwork,
  createProvider,
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
let stranger: TestCaller;
let provider: Provider;

beforeAll(async () => {
  api = await startTestApi();
  owner = await createCaller(api);
  stranger = await createCaller(api);
  provider = await createProvider(api.db, owner.accountId);
});
afterAll(() => api.close());

const wanted = (changes: object = {}) => ({
  provider: provider.id,
  network: { cidr: "10.0.0.0/16", location: REGION, ...changes },
});

it("accepts a network, rings for it, and shows it and its request at once", async () => {
  const { status, body } = await owner.post("/networks", wanted({ skip_subnets: true }));
  expect(status).toBe(200);
  expect(body.request).toMatchObject({
    type: "provision_network",
    request_status: `Pending: Provision network (${body.request.id})`,
    successful: false,
    finished_at: null,
    requester: `http://gantry.test/requests/${body.request.id}/requester`,
  });
  expect(api.notifications).toEqual([{ id: body.request.id, accountId: provider.accountId, wake: 0 }]);
  expect((await owner.get(`/requests/${body.request.id}`)).body).toEqual(body);
  expect(await api.db.request.findUnique({ where: { id: body.request.id } })).toMatchObject({
    input: { skipSubnets: true },
  });
  const { network } = (await owner.get(new URL(body.request.resource).pathname)).body;
  expect(network).toMatchObject({ cidr: "10.0.0.0/16", location: REGION, tenancy: "default", provisioned_id: null });
  expect(network.subnets).toBe(`http://gantry.test/subnets?network=${network.id}`);
});

it.each([
  ["larger than /16", { cidr: "10.0.0.0/15" }, "network.cidr: must be between /16 and /28"],
  ["smaller than /28", { cidr: "10.0.0.0/29" }, "network.cidr: must be between /16 and /28"],
  [
    "that is not canonical",
    { cidr: "10.0.1.0/16" },
    "network.cidr: is not canonical: 10.0.0.0/16 is the block that holds it",
  ],
  ["of IPv6", { cidr: "fd00::/16" }, "network.cidr: must be an IPv4 CIDR block, such as 10.0.0.0/16"],
  ["that is no block", { cidr: "10.0.0.0" }, "network.cidr: must be an IPv4 CIDR block, such as 10.0.0.0/16"],
  ["of a number", { cidr: 10 }, "network.cidr: Invalid input: expected string, received number"],
  ["in an unknown region", { location: "mars-1" }, /network.location: provider \d+ has no region mars-1/],
  ["in a zone", { location: ZONE }, /has no region us-east-1a/],
  ["with a wrong flag", { skip_subnets: "yes" }, /network.skip_subnets: Invalid input/],
])("refuses a network %s and makes nothing", async (_name, changes, sentence) => {
  const before = await countRows(api.db);
  const { status, body } = await owner.post("/networks", wanted(changes));
  expect(status).toBe(422);
  expect(body.errors).toEqual([typeof sentence === "string" ? sentence : expect.stringMatching(sentence)]);
  expect(await countRows(api.db)).toEqual(before);
});

it("does not know another account's provider, nor one that is not there", async () => {
  const before = await countRows(api.db);
  expect((await stranger.post("/networks", wanted())).status).toBe(404);
  expect((await owner.post("/networks", { ...wanted(), provider: 2_000_000_000 })).status).toBe(404);
  expect((await owner.post("/networks", { ...wanted(), provider: 9_007_199_254_740_991 })).status).toBe(404);
  expect(await countRows(api.db)).toEqual(before);
});

it("refuses a provider that is cancelled or not provisioned, and a region that is disabled", async () => {
  const { id } = await createProvider(api.db, owner.accountId);
  const ask = () => owner.post("/networks", { ...wanted(), provider: id });
  await api.db.providerLocation.updateMany({ where: { providerId: id }, data: { disabledAt: new Date() } });
  expect((await ask()).status).toBe(422);
  await api.db.provider.update({ where: { id }, data: { provisionedId: null } });
  expect((await ask()).body.errors).toEqual([`provider ${id} is not provisioned yet`]);
  await api.db.provider.update({ where: { id }, data: { cancelledAt: new Date() } });
  expect((await ask()).body.errors).toEqual([`provider ${id} was cancelled`]);
});

it("removes a network once: not while it holds subnets, not while it is being removed, not again", async () => {
  const { id } = await createNetwork(api.db, provider);
  const subnetId = randomUUID();
  const subnet = { id: subnetId, accountId: owner.accountId, networkId: id, location: ZONE, cidr: "10.0.0.0/24" };
  await api.db.subnet.create({ data: subnet });
  const full = await owner.delete(`/networks/${id}`);
  expect([full.status, full.body.errors]).toEqual([409, [`the network ${id} still holds: subnet ${subnetId}`]]);
  await api.db.subnet.update({ where: { id: subnetId }, data: { deletedAt: new Date() } });
  const { body } = await owner.delete(`/networks/${id}`);
  expect(body.request).toMatchObject({ type: "deprovision_network", resource: false });
  const twice = await owner.delete(`/networks/${id}`);
  expect(twice.body.errors).toEqual([`the network ${id} has an open request: deprovision_network ${body.request.id}`]);
  await api.db.request.update({ where: { id: body.request.id }, data: { finishedAt: new Date(), successful: true } });
  await api.db.network.update({ where: { id }, data: { deletedAt: new Date() } });
  expect((await owner.delete(`/networks/${id}`)).body.errors).toEqual([`the network ${id} was already deleted`]);
  expect((await owner.get(`/networks/${id}`)).body.network.deleted_at).not.toBeNull();
});

it("lists by provider, place and name", async () => {
  const other = await createProvider(api.db, owner.accountId);
  const { id } = await createNetwork(api.db, other);
  await api.db.network.update({ where: { id }, data: { name: "mine", location: OTHER_REGION } });
  for (const query of [`provider=${other.id}`, `location=${OTHER_REGION}`, "name=mine", `name[]=mine&name[]=other`]) {
    const { networks } = (await owner.get(`/networks?${query}`)).body;
    expect(networks.map((network: { id: string }) => network.id)).toEqual([id]);
  }
  expect((await stranger.get("/networks")).body.networks).toEqual([]);
});
