import { randomUUID } from "node:crypto";
import {
  createEnvironment,
  createNetwork,
  createProvider,
  createSubnet,
  OTHER_REGION,
  REGION,
} from "@gantry/test/support/api";
import { expectRefusal, resourcePath, startApiTest } from "@gantry/test/support/api-test";
import { COMPUTE_OFFERS, recordOffers } from "@gantry/test/support/offers";

const { db, owner, provider } = await startApiTest();
await db.providerLocation.updateMany({ where: { providerId: provider.id }, data: { serverLimit: 1000 } });

function location(locationId: string) {
  return db.providerLocation.findFirstOrThrow({ where: { providerId: provider.id, locationId } });
}

const { id: parentId } = await location(REGION);
const [zone, common] = [`${REGION}b`, { accountId: owner.accountId, providerId: provider.id, parentId }];
await db.providerLocation.create({ data: { ...common, id: randomUUID(), locationId: zone, locationName: zone } });

beforeEach(() => recordOffers(db, provider));

const flavors = async (path: string) => (await owner.get(path)).body.flavors;

it("lists what AWS offers, the smallest first, with sizes, processor, zones and the time of reading", async () => {
  const listed = await flavors(`/providers/${provider.id}/flavors/compute`);
  expect(listed.map(({ api_name }: { api_name: string }) => api_name)).toEqual([
    "t3.medium",
    "t4g.medium",
    "m7i.large",
  ]);
  expect(listed[1]).toEqual({
    ...{ id: "t4g_medium", api_name: "t4g.medium", name: "t4g_medium", architecture: 64, processor: "arm64" },
    ...{ description: "Burstable: 2 vCPU, 4 GiB, ARM", vcpus: 2, memory: 4, dedicated: false, volume_optimized: true },
    ...{ zones: COMPUTE_OFFERS["t4g.medium"], read_at: expect.stringMatching(/^20/) },
  });
});

it("lists what one region or one zone offers", async () => {
  const names = async (locationId: string) =>
    (await flavors(`/provider-locations/${(await location(locationId)).id}/flavors/compute`)).map(
      ({ api_name }: { api_name: string }) => api_name,
    );
  expect(await names(REGION)).toEqual(["t3.medium", "t4g.medium", "m7i.large"]);
  expect(await names(`${REGION}a`)).toEqual(["t3.medium", "t4g.medium"]);
});

it("lists the specification's flavors, without zones, until AWS has been read", async () => {
  const { id } = await createProvider(db, owner.accountId);
  const [first, ...rest] = await flavors(`/providers/${id}/flavors/compute`);
  expect(first).toMatchObject({ api_name: "m3.medium", zones: null, read_at: null });
  expect(rest).toHaveLength(17);
});

describe("a server", () => {
  const send = (environment: number, server: object) =>
    owner.post("/servers", { environment, server: { role: "app", ...server } });
  const created = async (answer: { body: { request: { resource: string } } }) =>
    (await owner.get(resourcePath(answer.body))).body.server;

  it("is placed only in zones that offer its flavor", async () => {
    const { id } = await createEnvironment(db, provider);
    const zones = [];
    for (let i = 0; i < 3; i++) zones.push((await created(await send(id, { flavor: "m7i.large" }))).location);
    expect(zones).toEqual([`${REGION}b`, `${REGION}b`, `${REGION}b`]);
  });

  it("of a flavor that the region lacks is refused with similar flavors", async () => {
    const { id } = await createEnvironment(db, provider);
    await expectRefusal(
      db,
      () => send(id, { flavor: "t3.huge" }),
      `server.flavor: ${REGION} does not offer t3.huge; it offers t3.medium, t4g.medium, m7i.large (see GET /providers/${provider.id}/flavors/compute for all of them)`,
    );
  });

  it("is refused in a subnet, or a network, of zones without its flavor", async () => {
    const network = await createNetwork(db, provider);
    const { id: subnetId } = await createSubnet(db, network, { location: `${REGION}a`, provisionedId: "subnet-a" });
    const { id } = await createEnvironment(db, provider, { networkId: network.id });
    const reason = `AWS offers m7i.large in ${REGION}b, but not in ${REGION}a`;
    const named = { flavor: "m7i.large", subnet_id: subnetId };
    await expectRefusal(db, () => send(id, named), `server.subnet_id: ${reason}`);
    await expectRefusal(db, () => send(id, { flavor: "m7i.large" }), `server.flavor: ${reason}`);
    expect((await created(await send(id, { flavor: "t3.medium" }))).subnet).toContain(subnetId);
  });
});

describe("a boot without flavors", () => {
  const bootedFlavor = async () => {
    const { id } = await createEnvironment(db, provider);
    const configuration = { type: "solo" };
    expect((await owner.post(`/environments/${id}/boot`, { cluster_configuration: { configuration } })).status).toBe(
      200,
    );
    return (await db.server.findFirstOrThrow({ where: { environmentId: id } })).flavor;
  };

  it("has t3.medium servers, or the smallest ones of two processors and 4 GiB that the region has", async () => {
    expect(await bootedFlavor()).toBe("t3.medium");
    await recordOffers(db, provider, { compute: { "m7i.large": [`${REGION}a`], "t4g.medium": [`${REGION}a`] } });
    expect(await bootedFlavor()).toBe("m7i.large");
  });
});

it("keeps the offers of each region separate", async () => {
  const { id } = await location(OTHER_REGION);
  expect((await flavors(`/provider-locations/${id}/flavors/compute`))[0]).toMatchObject({ zones: null });
});
