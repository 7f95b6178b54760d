import { createNetwork, createSubnet, REGION } from "@gantry/test/support/api";
import { startApiTest } from "@gantry/test/support/api-test";
import { parse, strict } from "./input.js";
import { integerId, uuidOf } from "./references.js";

const { db, owner, provider } = await startApiTest();
const UUID = "0190c4a2-1111-7111-8111-111111111111";

describe("the id of a record in a body", () => {
  const server = (value: unknown) => parse(strict({ server: integerId("servers") }), { server: value }).server;
  const network = (value: unknown) => parse(strict({ network: uuidOf("networks") }), { network: value }).network;

  it.each([3, "3", "http://gantry.test/servers/3", "https://gantry.example.com/v2/servers/3"])("may be %j", (value) => {
    expect(server(value)).toBe(3);
  });

  it.each([UUID, UUID.toUpperCase(), `http://gantry.test/networks/${UUID}`])("may be %j", (value) => {
    expect(network(value)).toBe(UUID);
  });

  it.each([
    0,
    -1,
    1.5,
    "03",
    "3 ",
    "",
    "x",
    2 ** 53,
    "http://gantry.test/volumes/3",
    "ftp://gantry.test/servers/3",
    "http://gantry.test/servers/3/volumes",
    [3],
    true,
  ])("cannot be %j", (value) => {
    expect(() => server(value)).toThrow(/server/);
  });

  it.each([3, "x", `http://gantry.test/subnets/${UUID}`, `networks/${UUID}`])("of a network cannot be %j", (value) => {
    expect(() => network(value)).toThrow(/network/);
  });

  it("is accepted in the form that the API returns", async () => {
    const { id, url } = await createdNetwork();
    const subnet = (network: string) =>
      owner.post("/subnets", { network, subnet: { cidr: "10.0.8.0/24", location: `${REGION}a` } });
    const { status, body } = await subnet(url);
    expect([status, body.errors]).toEqual([200, undefined]);
    expect((await db.subnet.findFirstOrThrow({ where: { networkId: id, cidr: "10.0.8.0/24" } })).networkId).toBe(id);
  });
});

async function createdNetwork() {
  const { id } = await createNetwork(db, provider);
  await createSubnet(db, { accountId: owner.accountId, id });
  return { id, url: (await owner.get("/subnets")).body.subnets[0].network as string };
}
