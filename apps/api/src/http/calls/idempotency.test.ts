import { createHmac } from "node:crypto";
import { countRows, createCaller, createNetwork, REGION, type TestCaller, ZONE } from "@gantry/test/support/api";
import { startApiTest } from "@gantry/test/support/api-test";
import { testKeys } from "@gantry/test/support/stack";
import supertest from "supertest";

const { api, owner, provider } = await startApiTest();

const network = (cidr = "10.0.0.0/16") => ({ provider: provider.id, network: { cidr, location: REGION } });

async function distinctReplies(
  count: number,
  send: () => PromiseLike<{ status: number; text: string }>,
): Promise<Set<string>> {
  const replies = await Promise.all(Array.from({ length: count }, send));
  return new Set(replies.map(({ status, text }) => `${status} ${text}`));
}

it("creates one Request for a hundred simultaneous inputs with one key, and gives all the same response", async () => {
  const before = await countRows(api.db);
  const replies = await distinctReplies(100, () =>
    owner.post("/networks", network()).set("Idempotency-Key", "at-once"),
  );
  expect(replies.size).toBe(1);
  expect([...replies][0]).toMatch(/^200 \{"request":/);
  const after = await countRows(api.db);
  expect(after.request).toBe((before.request ?? 0) + 1);
  expect(after.network).toBe((before.network ?? 0) + 1);
});

it("creates one Request if the endpoint also locks the parent", async () => {
  const { id } = await createNetwork(api.db, provider);
  const body = { network: id, subnet: { cidr: "10.0.1.0/24", location: ZONE } };
  const replies = await distinctReplies(40, () => owner.post("/subnets", body).set("Idempotency-Key", "locked"));
  expect([...replies][0]).toMatch(/^200 \{"request":/);
  expect(replies.size).toBe(1);
  expect(await api.db.subnet.count({ where: { networkId: id } })).toBe(1);
});

it("repeats the first reply after the Request has ended and the resource no longer exists", async () => {
  const { id } = await createNetwork(api.db, provider);
  const send = () => owner.delete(`/networks/${id}`).set("Idempotency-Key", "gone");
  const first = await send();
  expect(first.status).toBe(200);
  const ended = { startedAt: new Date(), finishedAt: new Date(), successful: true, stage: "destroy" };
  await api.db.request.update({ where: { id: first.body.request.id }, data: ended });
  await api.db.network.update({ where: { id }, data: { deletedAt: new Date() } });
  expect((await send()).text).toBe(first.text);
});

it("stores the response of an endpoint that creates no Request", async () => {
  const body = { account: { emergency_contact: "first" } };
  const send = (contact: object) =>
    owner.put(`/accounts/${owner.accountId}`, contact).set("Idempotency-Key", "contact");
  const first = await send(body);
  await owner.put(`/accounts/${owner.accountId}`, { account: { emergency_contact: "second" } });
  expect((await send(body)).text).toBe(first.text);
  expect((await owner.get(`/accounts/${owner.accountId}`)).body.account.emergency_contact).toBe("second");
});

it("refuses a key that was used for another body, path or method", async () => {
  await owner.post("/networks", network("10.1.0.0/16")).set("Idempotency-Key", "reused");
  const before = await countRows(api.db);
  const other = await owner.post("/networks", network("10.2.0.0/16")).set("Idempotency-Key", "reused");
  expect([other.status, other.body.code]).toEqual([422, "idempotency_key_reused"]);
  const path = await owner
    .post("/subnets", { network: owner.userId, subnet: { cidr: "10.0.0.0/24", location: ZONE } })
    .set("Idempotency-Key", "reused");
  expect(path.body.code).toBe("idempotency_key_reused");
  expect(await countRows(api.db)).toEqual(before);
});

it("compares inputs by their values, not by the form of their JSON", async () => {
  const send = (text: string) =>
    supertest(api.app)
      .post("/networks")
      .set({ Authorization: `Bearer ${owner.token}`, "Idempotency-Key": "values", "Content-Type": "application/json" })
      .send(text);
  const named = (first: string, second: string) =>
    `{ "network": {${first},\n ${second}, "location": "${REGION}"}, "provider":${provider.id} }`;
  const tags = ['"tags": {"a": "1", "b": "2"}', '"tags":{"b":"2","a":"1"}'] as const;
  const cidr = '"cidr": "10.8.0.0/16"';
  const first = await send(named(cidr, tags[0]));
  expect(first.status).toBe(200);
  expect((await send(named(tags[1], cidr.replace("10.8", "10.\\u0038")))).text).toBe(first.text);
  expect((await send(named(cidr, '"tags":{"a":"2","b":"1"}'))).body.code).toBe("idempotency_key_reused");
});

it("marks a repeated response as repeated", async () => {
  const send = () => owner.post("/networks", network("10.9.0.0/16")).set("Idempotency-Key", "notified");
  const [first, second] = [await send(), await send()];
  expect([first, second].map(({ headers }) => headers["idempotent-replayed"])).toEqual([undefined, "true"]);
});

it("stores no digest from which a body could be guessed", async () => {
  const body = network("10.7.0.0/16");
  await owner.post("/networks", body).set("Idempotency-Key", "keyed");
  const values = JSON.stringify([
    "POST /networks",
    {},
    {},
    { network: { cidr: body.network.cidr, location: REGION }, provider: provider.id },
  ]);
  const where = { userId_key: { userId: owner.userId, key: "keyed" } };
  const { fingerprint } = await api.db.idempotencyKey.findUniqueOrThrow({ where });
  const keyed = createHmac("sha256", testKeys.fingerprints).update(values).digest();
  expect(Buffer.from(fingerprint).equals(keyed)).toBe(true);
});

it("belongs to one user", async () => {
  const other = await createCaller(api, { accountId: owner.accountId });
  const [mine, theirs] = [
    await owner.post("/networks", network("10.3.0.0/16")).set("Idempotency-Key", "same"),
    await other.post("/networks", network("10.4.0.0/16")).set("Idempotency-Key", "same"),
  ];
  expect(theirs.status).toBe(200);
  expect(theirs.body.request.id).not.toBe(mine.body.request.id);
});

it("expires after thirty days, and a failed input stores none", async () => {
  const failed = await owner.post("/networks", network("10.0.0.0/8")).set("Idempotency-Key", "old");
  expect(failed.status).toBe(422);
  const first = await owner.post("/networks", network("10.5.0.0/16")).set("Idempotency-Key", "old");
  expect(first.status).toBe(200);
  const longAgo = new Date(Date.now() - 31 * 24 * 3_600_000);
  await api.db.idempotencyKey.updateMany({ where: { key: "old" }, data: { createdAt: longAgo } });
  const again = await owner.post("/networks", network("10.6.0.0/16")).set("Idempotency-Key", "old");
  expect(again.body.request.id).not.toBe(first.body.request.id);
});

it("refuses a malformed key, for a dry run too", async () => {
  for (const path of ["/networks", "/networks?dry_run=true"]) {
    const reply = owner.post(path, network()).set("Idempotency-Key", "x".repeat(256));
    expect((await reply).status).toBe(422);
  }
});

it.each([
  ["a Request", (caller: TestCaller) => caller.post("/networks", network())],
  [
    "another record",
    ({ accountId, post }: TestCaller) =>
      post(`/accounts/${accountId}/applications`, {
        application: { name: "left", repository: "git@example.com:left.git", type: "rails4" },
      }),
  ],
])("does not show the first response, with %s, to users who have left the account", async (_name, send) => {
  const leaver = await createCaller(api, { accountId: owner.accountId, role: "member" });
  const sendKeyed = () => send(leaver).set("Idempotency-Key", "left");
  const first = await sendKeyed();
  expect([200, 201]).toContain(first.status);
  expect((await sendKeyed()).text).toBe(first.text);
  const { id } = await api.db.membership.findFirstOrThrow({ where: { userId: leaver.userId } });
  expect((await owner.delete(`/memberships/${id}`)).status).toBe(204);
  expect((await sendKeyed()).status).toBe(404);
});
