import { OWN_TAG_LIMIT } from "@gantry/resources";
import {
  createDatabaseServer,
  createEnvironment,
  createNetwork,
  createServer,
  createVolume,
  REGION,
} from "@gantry/test/support/api";
import { expectRefusal, idsIn, resourcePath, startApiTest } from "@gantry/test/support/api-test";

const { api, db, owner, provider } = await startApiTest({ scopes: ["read", "write", "admin"] });

const post = (tags: unknown) =>
  owner.post("/networks", { provider: provider.id, network: { cidr: "10.0.0.0/16", location: REGION, tags } });

const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`key-${i}`, "x"]));

it("accepts as many tags as AWS has room for, with every character that all of its services accept", async () => {
  const tags = { ...many(OWN_TAG_LIMIT - 2), "Ünï code_.:/=+-@": "ä 1_.:/=+-@", empty: "" };
  const { body } = await post(tags);
  expect((await owner.get(resourcePath(body))).body.network.tags).toEqual(tags);
});

it.each<[string, Record<string, unknown>, string]>([
  ["AWS's prefix", { "aws:x": "1" }, "network.tags.aws:x: starts with aws:, which is reserved"],
  ["AWS's prefix in capitals", { "AWS:x": "1" }, "network.tags.AWS:x: starts with AWS:, which is reserved"],
  ["RDS's prefix", { "rds:x": "1" }, "network.tags.rds:x: starts with rds:, which is reserved"],
  ["Gantry's prefix", { "Gantry:x": "1" }, "network.tags.Gantry:x: starts with Gantry:, which is reserved"],
  ["AWS's prefix in a value", { x: "aws:y" }, "network.tags.x: starts with aws:, which is reserved"],
  ["the key Name", { name: "x" }, "network.tags.name: is a tag that Gantry sets; choose another key"],
  ["an empty key", { "": "x" }, "network.tags.: must have a key of 1 to 128 characters"],
  ["a long key", { ["k".repeat(129)]: "" }, `network.tags.${"k".repeat(129)}: must have a key of 1 to 128 characters`],
  ["a long value", { k: "v".repeat(257) }, "network.tags.k: must have a value of at most 256 characters"],
  ["another character", { "k#": "x" }, "network.tags.k#: must contain only letters, digits, spaces and _.:/=+-@"],
  ["keys that differ in case", { k: "", K: "" }, "network.tags.K: differs from another key only in case"],
  ["a number", { k: 1 }, "network.tags.k: Invalid input: expected string, received number"],
  ["too many", many(OWN_TAG_LIMIT + 1), `network.tags: must contain at most ${OWN_TAG_LIMIT} tags`],
])("refuses %s in tags, and changes nothing", async (_, tags, error) => {
  await expectRefusal(db, () => post(tags), error);
});

it("refuses too many tags together with those of the environment", async () => {
  const environment = await createEnvironment(db, provider, { tags: many(OWN_TAG_LIMIT) });
  const server = { role: "util", name: "jobs", flavor: "m3.medium", tags: { one: "more" } };
  const error = `server.tags: together with inherited tags: must contain at most ${OWN_TAG_LIMIT} tags`;
  await expectRefusal(db, () => owner.post("/servers", { environment: environment.id, server }), error);
});

it("finds the records that carry every tag of the filter", async () => {
  const both = await createNetwork(db, provider, { tags: { "a:b": "c:d", team: "filter" } });
  const one = await createNetwork(db, provider, { tags: { team: "filter" } });
  const found = async (query: string) => idsIn(await owner.get(`/networks?${query}`)).sort();
  expect(await found("tag=team:filter")).toEqual([both.id, one.id].sort());
  expect(await found("tag=team:filter&tag=a:b:c:d")).toEqual([both.id]);
  expect(await found("tag=a:b:c")).toEqual([]);
  const { body } = await owner.get("/networks?tag=team");
  expect(body.errors).toEqual([expect.stringMatching(/^tag: must be a tag in the form key:value/)]);
});

it("shows new tags at once, and creates one Request for the record and its parts", async () => {
  const environment = await createEnvironment(db, provider);
  const server = await createServer(db, environment, { tags: { team: "a", old: "x" } });
  const following = await createVolume(db, provider, { serverId: server.id, tags: { team: "a", own: "1", old: "x" } });
  const other = await createVolume(db, provider, { serverId: server.id, device: "/dev/xvdg", tags: { team: "own" } });
  const path = `/servers/${server.id}`;
  const patch = (tags: object) => owner.patch(path, { server: { tags } }).set("Idempotency-Key", `tags-${server.id}`);
  const { status, body, headers } = await patch({ team: "b" });
  expect([status, body.server.tags]).toEqual([200, { team: "b" }]);
  expect((await patch({ team: "b" })).body).toEqual(body);
  const tagsOf = async (id: number) => (await owner.get(`/volumes/${id}`)).body.volume.tags;
  expect([await tagsOf(following.id), await tagsOf(other.id)]).toEqual([{ team: "b", own: "1" }, { team: "own" }]);
  const requests = await db.request.findMany({ where: { resourceType: "server", resourceId: String(server.id) } });
  expect(requests.map(({ type, input }) => ({ type, input }))).toEqual([
    {
      type: "update_tags",
      input: {
        records: [
          { type: "server", id: String(server.id), removed: ["old"] },
          { type: "volume", id: String(following.id), removed: ["old"] },
        ],
      },
    },
  ]);
  expect(headers.link).toMatch(new RegExp(`/requests/${requests[0]?.id}>; rel="monitor"$`));
  expect(api.jobs.ids).toContain(requests[0]?.id);
  const audits = await db.pendingAuditRecord.findMany({ where: { subject: `server/${server.id}` } });
  expect(audits.map(({ action, requestId }) => [action, requestId])).toEqual([
    ["PATCH /servers/:server", requests[0]?.id],
  ]);
});

it("creates no Request for unchanged tags or for a body without tags", async () => {
  const network = await createNetwork(db, provider, { tags: { team: "same" } });
  const count = () => db.request.count({ where: { resourceId: network.id } });
  for (const attributes of [{ tags: { team: "same" } }, {}]) {
    const answer = await owner.patch(`/networks/${network.id}`, { network: attributes });
    expect([answer.status, answer.headers.link]).toEqual([200, undefined]);
  }
  expect(await count()).toBe(0);
  const { body, headers } = await owner.patch(`/networks/${network.id}`, { network: { name: "shop" } });
  expect([body.network.name, await count(), headers.link]).toEqual(["shop", 1, expect.stringContaining("/requests/")]);
});

it("names the Request that applies new tags of an environment and of a database", async () => {
  const environment = await createEnvironment(db, provider);
  const { databaseServiceId } = await createDatabaseServer(db, provider);
  for (const [path, name] of [
    [`/environments/${environment.id}`, "environment"],
    [`/database-services/${databaseServiceId}`, "database_service"],
  ] as const) {
    const patch = () => owner.patch(path, { [name]: { tags: { team: "named" } } });
    const [first, second] = [await patch(), await patch()];
    const { body } = await owner.get(new URL(/<(.+)>/.exec(String(first.headers.link))?.[1] ?? "").pathname);
    expect(body.request).toMatchObject({ type: "update_tags", subject: { url: expect.stringContaining(path) } });
    expect(second.headers.link).toBeUndefined();
  }
});

it("refuses the tags of a record that was deleted, and of a part that would have too many", async () => {
  const network = await createNetwork(db, provider, { deletedAt: new Date() });
  const answer = await owner.patch(`/networks/${network.id}`, { network: { tags: {} } });
  expect([answer.status, answer.body.errors]).toEqual([409, [`network ${network.id} was deleted`]]);
  const server = await createServer(db, await createEnvironment(db, provider));
  const volume = await createVolume(db, provider, { serverId: server.id, tags: many(OWN_TAG_LIMIT) });
  const error = `server.tags: the tags of volume ${volume.id}: must contain at most ${OWN_TAG_LIMIT} tags`;
  await expectRefusal(db, () => owner.patch(`/servers/${server.id}`, { server: { tags: { one: "more" } } }), error);
});

it("names providers, and finds them by their names", async () => {
  const { id, accountId } = provider;
  expect((await owner.patch(`/providers/${id}`, { provider: { name: "production" } })).body.provider.name).toBe(
    "production",
  );
  expect(idsIn(await owner.get("/providers?name=production"))).toEqual([id]);
  expect(idsIn(await owner.get(`/accounts/${accountId}/providers?name=other`))).toEqual([]);
});
