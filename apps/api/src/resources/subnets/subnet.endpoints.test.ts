import { randomUUID } from "node:crypto";
import {
  createDatabaseServer,
  createEnvironment,
  createNetwork,
  createServer,
  createSubnet,
  OTHER_ZONE,
  REGION,
  ZONE,
} from "@gantry/test/support/api";
import { expectRefusal, resourcePath, startApiTest } from "@gantry/test/support/api-test";

const { db, owner, provider } = await startApiTest();
const network = await createNetwork(db, provider);

const inputWith = (changes: object = {}, id = network.id) => ({
  network: id,
  subnet: { cidr: "10.0.1.0/24", location: ZONE, ...changes },
});

it("accepts a subnet inside its network, and removes it once", async () => {
  const { id } = await createNetwork(db, provider);
  const { body } = await owner.post("/subnets", inputWith({}, id));
  expect(body.request.type).toBe("provision_subnet");
  const path = resourcePath(body);
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
  ["that is not canonical", { cidr: "10.0.1.9/24" }, /has bits set beyond its prefix; use 10.0.1.0\/24/],
  [
    "in a zone of another region",
    { location: OTHER_ZONE },
    `subnet.location: ${OTHER_ZONE} is not a zone of ${REGION}; use one of ${ZONE}`,
  ],
  ["in an unknown zone", { location: "us-east-1z" }, /us-east-1z is not a zone/],
  ["in a region", { location: REGION }, /us-east-1 is not a zone/],
])("refuses a subnet %s and writes nothing", async (_name, changes, sentence) => {
  await expectRefusal(db, () => owner.post("/subnets", inputWith(changes)), sentence);
});

it("refuses a subnet that overlaps another, and names the other", async () => {
  const { id } = await createNetwork(db, provider);
  await owner.post("/subnets", inputWith({ cidr: "10.0.0.0/20" }, id));
  const [existing] = await db.subnet.findMany({ where: { networkId: id } });
  for (const cidr of ["10.0.0.0/20", "10.0.15.0/24", "10.0.0.0/16"]) {
    const { status, body } = await owner.post("/subnets", inputWith({ cidr }, id));
    expect([status, body.errors]).toEqual([
      422,
      [`subnet.cidr: ${cidr} overlaps 10.0.0.0/20 of subnet ${existing?.id}`],
    ]);
  }
});

it("accepts no private subnet once the removal of the subnet with the NAT gateway has begun", async () => {
  const { id } = await createNetwork(db, provider);
  const more = { natGatewayId: "nat-1", removalStartedAt: new Date() };
  const holder = await createSubnet(db, { accountId: owner.accountId, id }, more);
  const { status, body } = await owner.post("/subnets", inputWith({ private: true }, id));
  expect([status, body.blocking]).toEqual([409, [`http://gantry.test/subnets/${holder.id}`]]);
});

it("accepts one of many overlapping concurrent subnets", async () => {
  const { id } = await createNetwork(db, provider);
  const blocks = Array.from({ length: 12 }, (_, i) => `10.0.0.0/${16 + i}`);
  const answers = await Promise.all(blocks.map((cidr) => owner.post("/subnets", inputWith({ cidr }, id))));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(await db.subnet.count({ where: { networkId: id } })).toBe(1);
});

it("never accepts a subnet in a network that is being deprovisioned", async () => {
  for (let i = 0; i < 8; i++) {
    const { id } = await createNetwork(db, provider);
    const [created, removed] = await Promise.all([
      owner.post("/subnets", inputWith({}, id)),
      owner.delete(`/networks/${id}`),
    ]);
    expect([created.status, removed.status].sort()).toEqual([200, 409]);
  }
});

it("refuses to remove a subnet with a server, or with a database or a scaling group in its network", async () => {
  const network = await createNetwork(db, provider);
  const { id: networkId } = network;
  const subnet = await createSubnet(db, network);
  const environment = await createEnvironment(db, provider, { networkId });
  const refused = async (sentence: string) => {
    const { status, body } = await owner.delete(`/subnets/${subnet.id}`);
    expect([status, body.errors]).toEqual([409, [`subnet ${subnet.id} still contains: ${sentence}`]]);
  };
  const deletedAt = new Date();
  const server = await createServer(db, environment, { subnetId: subnet.id });
  await refused(`server ${server.id}`);
  await db.server.update({ where: { id: server.id }, data: { deletedAt } });
  const { databaseServiceId: id } = await createDatabaseServer(db, provider);
  await db.databaseService.update({ where: { id }, data: { networkId } });
  await refused(`database service ${id}`);
  await db.databaseService.update({ where: { id }, data: { deletedAt } });
  const sizes = { minimumSize: 1, maximumSize: 1, desiredCapacity: 1 };
  const own = { accountId: owner.accountId, providerId: provider.id, environmentId: environment.id, region: REGION };
  const group = await db.autoScalingGroup.create({ data: { id: randomUUID(), ...own, ...sizes } });
  await refused(`auto scaling group ${group.id}`);
  await db.autoScalingGroup.update({ where: { id: group.id }, data: { deletedAt } });
  expect((await owner.delete(`/subnets/${subnet.id}`)).status).toBe(200);
});

it("refuses a network that is not provisioned", async () => {
  const { id } = await createNetwork(db, provider, { provisionedId: null });
  const { status, body } = await owner.post("/subnets", inputWith({}, id));
  expect([status, body.errors]).toEqual([409, [`network ${id} is not provisioned yet`]]);
});

it("accepts a private subnet if the network has a NAT gateway, whose subnet cannot be removed before the private ones", async () => {
  const { id } = await createNetwork(db, provider);
  const make = (cidr: string) => owner.post("/subnets", inputWith({ cidr, private: true }, id));
  const sentence = `subnet.private: network ${id} has no NAT gateway; create a network with private_subnets`;
  await expectRefusal(db, () => make("10.0.1.0/24"), sentence);
  const holder = await createSubnet(db, { accountId: owner.accountId, id }, { natGatewayId: "nat-1" });
  const path = resourcePath((await make("10.0.1.0/24")).body);
  expect((await owner.get(path)).body.subnet).toMatchObject({ private: true, nat_gateway: null });
  expect((await owner.get(`/subnets/${holder.id}`)).body.subnet).toMatchObject({
    private: false,
    nat_gateway: "nat-1",
  });
  const { status, body } = await owner.delete(`/subnets/${holder.id}`);
  expect([status, body.errors]).toEqual([
    409,
    [`subnet ${holder.id} contains the NAT gateway that private subnet ${path.split("/").at(-1)} uses`],
  ]);
  await db.subnet.updateMany({ where: { networkId: id, private: true }, data: { deletedAt: new Date() } });
  expect((await owner.delete(`/subnets/${holder.id}`)).status).toBe(200);
  const late = await make("10.0.2.0/24");
  expect([late.status, late.body.errors[0]]).toEqual([409, expect.stringContaining("has an unfinished request")]);
  expect(late.body.blocking).toEqual([expect.stringMatching(/^http:\/\/gantry\.test\/requests\/[\w-]{36}$/)]);
});
