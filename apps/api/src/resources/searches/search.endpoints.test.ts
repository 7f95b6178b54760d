import { createCaller, createEnvironment, createNetwork, createProvider, createServer } from "@gantry/test/support/api";
import { startApiTest } from "@gantry/test/support/api-test";
import { fillAccount } from "@gantry/test/support/fixtures";

const { api, db, owner } = await startApiTest();
const other = await createCaller(api);
const provider = await createProvider(db, owner.accountId);
const environment = await createEnvironment(db, provider);
const fixtures = await fillAccount(api, other, 1);

const search = async (q: string, caller = owner) => {
  const { status, body } = await caller.get(`/accounts/${caller.accountId}/search?q=${encodeURIComponent(q)}`);
  expect(status).toBe(200);
  return body.results;
};
const named = async (name: string, fields: object = {}) => {
  const { id } = await createServer(db, environment);
  return db.server.update({ where: { id }, data: { name, ...fields } });
};

it("finds what is exactly the text, then what begins with it, then what contains it", async () => {
  const contains = await named("my-Shop-1");
  const begins = await named("shop-2", { provisionedId: "i-0shop" });
  const is = await named("SHOP");
  const withId = await named("last", { provisionedId: "shop" });
  const found = await search("shop");
  expect(found.map(({ id }: { id: number }) => id)).toEqual([withId.id, is.id, begins.id, contains.id]);
  expect(found[2]).toEqual({ type: "server", id: begins.id, name: "shop-2", detail: "i-0shop" });
});

it("finds records by host, address, AWS id and id, and no deleted ones", async () => {
  const server = await named("hosted", { privateHostname: "ip-10-9-8-7.internal", provisionedId: "i-0feedface" });
  const network = await createNetwork(db, provider);
  const [first] = await search("10-9-8");
  expect(first).toMatchObject({ type: "server", id: server.id });
  expect((await search("I-0FEED"))[0]).toMatchObject({ id: server.id });
  expect(await search(String(server.id))).toContainEqual(expect.objectContaining({ type: "server", id: server.id }));
  for (const q of [network.id, network.id.toUpperCase(), network.id.slice(0, 13)])
    expect(await search(q)).toEqual([expect.objectContaining({ type: "network", id: network.id })]);
  await db.server.update({ where: { id: server.id }, data: { deletedAt: new Date() } });
  expect(await search("i-0feedface")).toEqual([]);
  expect(await search("%")).toEqual([]);
  expect(await search("")).toEqual([]);
});

it("finds a Request by its id or the beginning of it", async () => {
  const { id } = (await owner.post(`/servers/${(await named("rebooted")).id}/reboot`)).body.request;
  const request = { type: "request", id, name: "Instance update", detail: "pending" };
  expect(await search(id)).toEqual([request]);
  expect(await search(id.slice(0, 20))).toEqual([request]);
});

it("finds at most 20 records", async () => {
  for (let n = 0; n < 22; n++) await named(`many-${n}`);
  expect(await search("many")).toHaveLength(20);
});

it("finds nothing of another account", async () => {
  const texts = Object.values(fixtures).map(String);
  for (const id of texts) {
    const ids = (await search(id)).map((row: { id: string | number }) => String(row.id));
    if (id.length === 36) expect([id, ids]).toEqual([id, []]);
  }
  const { name } = await db.server.findFirstOrThrow({ where: { accountId: other.accountId } });
  expect(await search(name ?? "")).toEqual([]);
  expect(await search(name ?? "", other)).not.toEqual([]);
  expect((await owner.get(`/accounts/${other.accountId}/search?q=a`)).status).toBe(404);
});
