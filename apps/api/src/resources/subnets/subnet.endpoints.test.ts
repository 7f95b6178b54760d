import { randomUUID } from "node:crypto";
import type { Network, Provider } from "@gantry/db";
import {
  countRows,
  createCaller,
  createDatabaseServer,
  createEnvironment,
  createNetwork,
  createProvider,
  createServer,
  createSubnet,
  OTHER_ZONE,
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
let network: Network;

beforeAll(async () => {
  api = await startTestApi();
  owner = await createCaller(api);
  provider = await createProvider(api.db, owner.accountId);
  network = await createNetwork(api.db, provider);
});
afterAll(() => api.close());

const wanted = (changes: object = {}, id = network.id) => ({
  network: id,
  subnet: { cidr: "10.0.1.0/24", location: ZONE, ...changes },
});

it("accepts a subnet inside its network, and removes it once", async () => {
  const { id } = await createNetwork(api.db, provider);
  const { body } = await owner.post("/subnets", wanted({}, id));
  expect(body.request.type).toBe("provision_subnet");
  const path = new URL(body.request.resource).pathname;
  expect((await owner.get(path)).body.subnet).toMatchObject({
    cidr: "10.0.1.0/24",
    network: `http://gantry.test/networks/${id}`,
    primary: false,
  });
  expect((await owner.get(`/subnets?network=${id}`)).body.subnets).toHaveLength(1);
  expect((await owner.get(`/subnets?provider=${provider.id}&network=${network.id}`)).body.subnets).toHaveLength(0);
  expect((await owner.delete(path)).body.request).toMatchObject({ type: "deprovision_subnet", resource: false });
  expect((await owner.delete(path)).status).toBe(409);
});

it.each([
  ["outside its network", { cidr: "10.1.0.0/24" }, "subnet.cidr: 10.1.0.0/24 is not inside the network's 10.0.0.0/16"],
  ["smaller than /28", { cidr: "10.0.0.0/30" }, "subnet.cidr: must be between /16 and /28"],
  ["that is not canonical", { cidr: "10.0.1.9/24" }, /is not canonical: 10.0.1.0\/24/],
  [
    "in a zone of another region",
    { location: OTHER_ZONE },
    `subnet.location: ${OTHER_ZONE} is not a zone of ${REGION}`,
  ],
  ["in an unknown zone", { location: "us-east-1z" }, /us-east-1z is not a zone/],
  ["in a region", { location: REGION }, /us-east-1 is not a zone/],
  ["with an unknown key", { primary: true }, "found unpermitted parameters: subnet.primary"],
])("refuses a subnet %s and makes nothing", async (_name, changes, sentence) => {
  const before = await countRows(api.db);
  const { status, body } = await owner.post("/subnets", wanted(changes));
  expect(status).toBe(422);
  expect(body.errors).toEqual([typeof sentence === "string" ? sentence : expect.stringMatching(sentence)]);
  expect(await countRows(api.db)).toEqual(before);
});

it("refuses a subnet that overlaps a living one, and names it", async () => {
  const { id } = await createNetwork(api.db, provider);
  await owner.post("/subnets", wanted({ cidr: "10.0.0.0/20" }, id));
  const [there] = await api.db.subnet.findMany({ where: { networkId: id } });
  for (const cidr of ["10.0.0.0/20", "10.0.15.0/24", "10.0.0.0/16"]) {
    const { status, body } = await owner.post("/subnets", wanted({ cidr }, id));
    expect([status, body.errors]).toEqual([422, [`subnet.cidr: ${cidr} overlaps 10.0.0.0/20 of subnet ${there?.id}`]]);
  }
});

it("accepts one of many overlapping subnets that come at once", async () => {
  const { id } = await createNetwork(api.db, provider);
  const blocks = Array.from({ length: 12 }, (_, i) => `10.0.0.0/${16 + i}`);
  const answers = await Promise.all(blocks.map((cidr) => owner.post("/subnets", wanted({ cidr }, id))));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(await api.db.subnet.count({ where: { networkId: id } })).toBe(1);
});

it("never accepts a subnet into a network that is accepted for removal", async () => {
  for (let i = 0; i < 8; i++) {
    const { id } = await createNetwork(api.db, provider);
    const [made, removed] = await Promise.all([
      owner.post("/subnets", wanted({}, id)),
      owner.delete(`/networks/${id}`),
    ]);
    expect([made.status, removed.status].sort()).toEqual([200, 409]);
  }
});

it("is not removed while a server stands in it, nor while a database or a scaling group is spread over its network", async () => {
  const network = await createNetwork(api.db, provider);
  const { id: networkId } = network;
  const subnet = await createSubnet(api.db, network);
  const environment = await createEnvironment(api.db, provider, { networkId });
  const refused = async (sentence: string) => {
    const { status, body } = await owner.delete(`/subnets/${subnet.id}`);
    expect([status, body.errors]).toEqual([409, [`the subnet ${subnet.id} still holds: ${sentence}`]]);
  };
  const deletedAt = new Date();
  const server = await createServer(api.db, environment, { subnetId: subnet.id });
  await refused(`server ${server.id}`);
  await api.db.server.update({ where: { id: server.id }, data: { deletedAt } });
  const { databaseServiceId: id } = await createDatabaseServer(api.db, provider);
  await api.db.databaseService.update({ where: { id }, data: { networkId } });
  await refused(`database service ${id}`);
  await api.db.databaseService.update({ where: { id }, data: { deletedAt } });
  const sizes = { minimumSize: 1, maximumSize: 1, desiredCapacity: 1 };
  const own = { accountId: owner.accountId, providerId: provider.id, environmentId: environment.id, region: REGION };
  const group = await api.db.autoScalingGroup.create({ data: { id: randomUUID(), ...own, ...sizes } });
  await refused(`auto scaling group ${group.id}`);
  await api.db.autoScalingGroup.update({ where: { id: group.id }, data: { deletedAt } });
  expect((await owner.delete(`/subnets/${subnet.id}`)).status).toBe(200);
});

it("waits for its network to be there", async () => {
  const { id } = await createNetwork(api.db, provider, { provisionedId: null });
  const { status, body } = await owner.post("/subnets", wanted({}, id));
  expect([status, body.errors]).toEqual([409, [`the network ${id} is not provisioned yet`]]);
  await api.db.network.update({ where: { id }, data: { deletedAt: new Date() } });
  expect((await owner.post("/subnets", wanted({}, id))).body.errors).toEqual([`the network ${id} was deleted`]);
});

it("does not know another account's network, wherever it is named", async () => {
  const stranger = await createCaller(api);
  const { status } = await stranger.post("/subnets", wanted());
  expect(status).toBe(404);
  expect((await stranger.get(`/subnets?network=${network.id}`)).status).toBe(404);
  expect((await owner.post("/subnets", wanted({}, randomUUID()))).status).toBe(404);
  expect((await owner.post("/subnets", { ...wanted(), network: 7 })).status).toBe(422);
});
