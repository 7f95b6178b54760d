import { randomUUID } from "node:crypto";
import { createNetwork, createProvider, REGION, ZONE } from "@gantry/test/support/api";
import { endRequest, expectRefusal, resourcePath, startApiTest } from "@gantry/test/support/api-test";

const { api, db, owner, provider } = await startApiTest();

const databaseIn = (network: string) => ({
  provider: provider.id,
  network,
  database_service: {},
  database_server: { engine: "mysql", version: "5.7.17", flavor: "db.m4.large", location: ZONE },
});

const inputWith = (changes: object = {}) => ({
  provider: provider.id,
  network: { cidr: "10.0.0.0/16", location: REGION, ...changes },
});

it("accepts a network, notifies the workers, and shows the network and its Request at once", async () => {
  const { status, body } = await owner.post("/networks", inputWith({ skip_subnets: true }));
  expect(status).toBe(200);
  expect(body.request).toMatchObject({
    type: "provision_network",
    request_status: `Pending: Provision network (${body.request.id})`,
    successful: false,
    finished_at: null,
    requester: `http://gantry.test/requests/${body.request.id}/requester`,
  });
  expect(api.jobs.ids).toEqual([body.request.id]);
  expect((await owner.get(`/requests/${body.request.id}`)).body).toEqual(body);
  expect(await db.request.findUnique({ where: { id: body.request.id } })).toMatchObject({
    input: { skipSubnets: true },
  });
  const { network } = (await owner.get(resourcePath(body))).body;
  expect(network).toMatchObject({ cidr: "10.0.0.0/16", location: REGION, tenancy: "default", provisioned_id: null });
  expect(network.subnets).toBe(`http://gantry.test/subnets?network=${network.id}`);
});

it("triggers a webhook check with each change, and with nothing else", async () => {
  const before = api.jobs.webhookChecks;
  await owner.get("/networks");
  await owner.post("/networks?dry_run=true", inputWith());
  expect((await owner.post("/networks", inputWith({ cidr: "none" }))).status).toBe(422);
  expect(api.jobs.webhookChecks).toBe(before);
  await owner.put(`/accounts/${owner.accountId}`, { account: { emergency_contact: "on call" } });
  expect(api.jobs.webhookChecks).toBe(before + 1);
});

it("has private subnets only if the input requests them, and shows the cost of their NAT gateway", async () => {
  const path = resourcePath((await owner.post("/networks", inputWith({ private_subnets: true }))).body);
  expect((await owner.get(path)).body.network.private_subnets).toBe(true);
  const plain = resourcePath((await owner.post("/networks", inputWith())).body);
  expect((await owner.get(plain)).body.network.private_subnets).toBe(false);
  const planOf = async (changes: object) => (await owner.post("/networks?dry_run=true", inputWith(changes))).body.plan;
  expect((await planOf({})).estimate.monthly_usd).toBe(0);
  const { resources, estimate } = await planOf({ private_subnets: true });
  expect(resources).toContainEqual({ kind: "nat_gateway", count: 1, region: "us-east-1" });
  expect(estimate.monthly_usd).toBeCloseTo(0.045 * 730 + 0.005 * 730, 1);
});

it.each([
  ["larger than /16", { cidr: "10.0.0.0/15" }, "network.cidr: must be between /16 and /28"],
  ["smaller than /28", { cidr: "10.0.0.0/29" }, "network.cidr: must be between /16 and /28"],
  ["that is not canonical", { cidr: "10.0.1.0/16" }, "network.cidr: has bits set beyond its prefix; use 10.0.0.0/16"],
  ["of IPv6", { cidr: "fd00::/16" }, "network.cidr: must be an IPv4 CIDR block, such as 10.0.0.0/16"],
  ["that is no block", { cidr: "10.0.0.0" }, "network.cidr: must be an IPv4 CIDR block, such as 10.0.0.0/16"],
  ["in an unknown region", { location: "mars-1" }, /network.location: provider \d+ has no region mars-1/],
  ["in a zone", { location: ZONE }, /has no region us-east-1a/],
  ["with private subnets and none", { private_subnets: true, skip_subnets: true }, /private_subnets: cannot be true/],
  [
    "without room for a private subnet",
    { private_subnets: true, cidr: "10.0.0.0/28" },
    "network.cidr: is too small for a public and a private subnet; use /27 or larger",
  ],
])("refuses a network %s and writes nothing", async (_name, changes, sentence) => {
  await expectRefusal(db, () => owner.post("/networks", inputWith(changes)), sentence);
});

it("refuses a cancelled or pending provider, and a disabled region", async () => {
  const { id } = await createProvider(db, owner.accountId);
  const send = () => owner.post("/networks", { ...inputWith(), provider: id });
  await db.providerLocation.updateMany({ where: { providerId: id }, data: { disabledAt: new Date() } });
  expect((await send()).status).toBe(422);
  await db.provider.update({ where: { id }, data: { provisionedId: null } });
  expect((await send()).body.errors).toEqual([`provider ${id} is not provisioned yet`]);
  await db.provider.update({ where: { id }, data: { cancelledAt: new Date() } });
  expect((await send()).body.errors).toEqual([`provider ${id} was cancelled`]);
});

it("removes a network once, and not while it has subnets", async () => {
  const { id } = await createNetwork(db, provider);
  const subnetId = randomUUID();
  const subnet = { id: subnetId, accountId: owner.accountId, networkId: id, location: ZONE, cidr: "10.0.0.0/24" };
  await db.subnet.create({ data: subnet });
  const full = await owner.delete(`/networks/${id}`);
  expect([full.status, full.body.errors]).toEqual([409, [`network ${id} still contains: subnet ${subnetId}`]]);
  expect(full.body.blocking).toEqual([`http://gantry.test/subnets/${subnetId}`]);
  await db.subnet.update({ where: { id: subnetId }, data: { deletedAt: new Date() } });
  const { body } = await owner.delete(`/networks/${id}`);
  expect(body.request).toMatchObject({ type: "deprovision_network", resource: false });
  const twice = await owner.delete(`/networks/${id}`);
  expect(twice.body.errors).toEqual([
    `network ${id} has an unfinished request: deprovision_network ${body.request.id}`,
  ]);
  await endRequest(db, body.request.id);
  await db.network.update({ where: { id }, data: { deletedAt: new Date() } });
  expect((await owner.delete(`/networks/${id}`)).body.errors).toEqual([`network ${id} was already deleted`]);
  expect((await owner.get(`/networks/${id}`)).body.network.deleted_at).not.toBeNull();
});

it("refuses the removal of a network during its creation, and during a retry of it", async () => {
  const { body } = await owner.post("/networks", inputWith());
  const path = resourcePath(body);
  const refused = async (requestId: string) => {
    const { status, body } = await owner.delete(path);
    expect([status, body.blocking]).toEqual([409, [`http://gantry.test/requests/${requestId}`]]);
  };
  await refused(body.request.id);
  await endRequest(db, body.request.id, false);
  await db.network.updateMany({ where: { id: path.split("/").at(-1) ?? "" }, data: { deletedAt: new Date() } });
  const retry = await owner.post(`/requests/${body.request.id}/retry`);
  await refused(retry.body.request.id);
});

it("accepts only another removal for a network or subnet whose removal failed half-way", async () => {
  const { id } = await createNetwork(db, provider);
  const row = { id: randomUUID(), accountId: owner.accountId, networkId: id, location: ZONE, cidr: "10.0.0.0/24" };
  await db.subnet.create({ data: { ...row, provisionedId: "subnet-1", deletedAt: new Date() } });
  await db.network.update({ where: { id }, data: { removalStartedAt: new Date() } });
  expect((await owner.get(`/networks/${id}`)).body.network.removal_started_at).not.toBeNull();
  const inputs: [string, object][] = [
    ["/subnets", { network: id, subnet: { cidr: "10.0.1.0/24", location: ZONE } }],
    [`/accounts/${owner.accountId}/environments`, { network: id, environment: { name: "web" } }],
    ["/database-services", databaseIn(id)],
  ];
  for (const [path, input] of inputs) {
    const { status, body } = await owner.post(path, input);
    expect([path, status, body.blocking]).toEqual([path, 409, [`http://gantry.test/networks/${id}`]]);
  }
  expect((await owner.delete(`/networks/${id}`)).body.request).toMatchObject({ type: "deprovision_network" });
});

it("restores a network whose removal has begun as one whose removal has not", async () => {
  const { body } = await owner.post("/networks", inputWith());
  const path = resourcePath(body);
  await endRequest(db, body.request.id, false);
  const ended = new Date();
  const id = path.split("/").at(-1) ?? "";
  await db.network.update({ where: { id }, data: { removalStartedAt: ended, deletedAt: ended } });
  expect((await owner.post(`/requests/${body.request.id}/retry`)).status).toBe(200);
  expect((await owner.get(path)).body.network).toMatchObject({ removal_started_at: null, deleted_at: null });
});
