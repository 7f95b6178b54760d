import { randomUUID } from "node:crypto";
import { createCaller, type TestCaller } from "@gantry/test/support/api";
import { expectRefusal, startApiTest } from "@gantry/test/support/api-test";
import { requiresEncryption } from "./account.encryption.js";

const { api, db, owner } = await startApiTest();
const path = `/accounts/${owner.accountId}`;

it("requires encryption only if an administrator turns it on", async () => {
  expect((await owner.get(path)).body.account.encryption).toBe("optional");
  expect((await owner.put(path, { account: { encryption: "required" } })).body.account.encryption).toBe("required");
  expect(await requiresEncryption(db, owner.accountId)).toBe(true);
  const member = await createCaller(api, { accountId: owner.accountId, role: "member" });
  const readerWriter = await createCaller(api, { accountId: owner.accountId, scopes: ["read", "write"] });
  for (const caller of [member, readerWriter]) {
    const { status, body } = await caller.put(path, { account: { encryption: "optional" } });
    expect([status, body.errors]).toEqual([403, ["only an administrator can change an account's encryption setting"]]);
  }
  expect((await member.put(path, { account: { emergency_contact: "me" } })).body.account).toMatchObject({
    emergency_contact: "me",
    encryption: "required",
  });
});

it("encrypts all disks of new environments if the account requires it", async () => {
  const caller = await createCaller(api);
  await caller.put(`/accounts/${caller.accountId}`, { account: { encryption: "required" } });
  const create = (environment: object) => caller.post(`/accounts/${caller.accountId}/environments`, { environment });
  const { body } = await create({ name: "safe" });
  expect(body.environment.encrypted_ebs_for_everything).toBe(true);
  const sentence = "environment.encrypted_ebs_for_everything: cannot be false, because the account requires encryption";
  const open = { encrypted_ebs_for_everything: false };
  for (const refused of [
    await create({ name: "open", ...open }),
    await caller.put(`/environments/${body.environment.id}`, { environment: open }),
  ]) {
    expect([refused.status, refused.body.errors]).toEqual([422, [sentence]]);
  }
});

it("creates an account that its creator owns, in which the token works at once", async () => {
  const maker = await createCaller(api);
  const { status, body } = await maker.post("/accounts", { account: { name: "second", emergency_contact: "me" } });
  expect([status, body.account]).toEqual([201, expect.objectContaining({ name: "second", emergency_contact: "me" })]);
  const { id } = body.account;
  expect((await maker.get(`/accounts/${id}/owners`)).body.users).toMatchObject([{ id: maker.userId }]);
  const environment = { environment: { name: "first" } };
  expect((await maker.post(`/accounts/${id}/environments`, environment)).status).toBe(201);
  expect((await maker.get(`/accounts/${id}/audit`)).body.audit_records.length).toBeGreaterThan(0);
});

it("lists the members of the caller's accounts, and a user's environments and own tokens", async () => {
  const member = await createCaller(api, { accountId: owner.accountId, role: "member" });
  const stranger = await createCaller(api);
  const { memberships } = (await member.get("/memberships")).body;
  const accounts = new Set(memberships.map(({ account }: { account: string }) => account.split("/").at(-1)));
  expect([...accounts]).toEqual([owner.accountId]);
  await owner.post(`/accounts/${owner.accountId}/environments`, { environment: { name: "shared" } });
  const { user } = (await member.get(`/users/${owner.userId}`)).body;
  const read = async (url: string, caller = member) => (await caller.get(new URL(url).pathname)).body;
  expect((await read(user.environments)).environments).toMatchObject([{ name: "shared" }]);
  expect((await read(user.tokens)).tokens).toEqual([]);
  expect((await read(user.tokens, owner)).tokens.length).toBeGreaterThan(0);
  expect((await stranger.get(`/users/${owner.userId}/environments`)).status).toBe(404);
});

it("creates an account from a form, with the beginning of a name, a plan and the caller as its owner", async () => {
  const maker = await createCaller(api);
  const form = new URLSearchParams({
    "account[name_prefix]": "acme-",
    "account[plan]": "premium",
    "account[type]": "beta",
    "account[signup_via]": "partner",
    owner: maker.userId,
  });
  const create = () => maker.post(`/accounts?${form}`).type("form");
  const { status, body } = await create();
  expect([status, body.account]).toEqual([
    201,
    expect.objectContaining({ name: expect.stringMatching(/^acme-[0-9a-f]{8}$/), support_plan: "premium" }),
  ]);
  expect((await create()).body.account.name).not.toBe(body.account.name);
  expect((await maker.get(`/accounts/${body.account.id}/owners`)).body.users).toMatchObject([{ id: maker.userId }]);
});

it("lets only staff create an account for another person", async () => {
  const [staff, person] = [await createCaller(api, { staff: true, reason: "ticket 7" }), await createCaller(api)];
  const create = (caller: TestCaller, id: string) =>
    caller.post("/accounts", { account: { name: "theirs" }, owner: id });
  const { status, body } = await create(staff, person.userId);
  expect([status, body.errors]).toEqual([201, undefined]);
  expect((await person.get(`/accounts/${body.account.id}/owners`)).body.users).toMatchObject([{ id: person.userId }]);
  expect((await staff.get(`/accounts/${body.account.id}/memberships`)).body.memberships).toHaveLength(1);

  const accounts = await db.account.count();
  const colleague = await createCaller(api, { accountId: person.accountId });
  expect((await create(person, colleague.userId)).body.errors).toEqual([expect.stringContaining("only staff")]);
  expect((await create(person, owner.userId)).status).toBe(404);
  const nobody = await create(staff, randomUUID());
  expect([nobody.status, nobody.body.details[0].path]).toEqual([404, "owner"]);
  expect(await db.account.count()).toBe(accounts);
});

it("accepts the owner in the body and the query if both are the same", async () => {
  const maker = await createCaller(api);
  const create = (query: unknown, body: unknown) =>
    maker.post(`/accounts?owner=${query}`, { account: { name: "named twice" }, owner: body });
  const url = `http://gantry.test/users/${maker.userId}`;
  for (const [query, body] of [
    [maker.userId, maker.userId.toUpperCase()],
    [url, maker.userId],
    [maker.userId, null],
  ])
    expect((await create(query, body)).status).toBe(201);
  for (const [query, body] of [
    [randomUUID(), maker.userId],
    [maker.userId, randomUUID()],
    ["nobody", maker.userId],
  ])
    await expectRefusal(db, () => create(query, body), "owner: has different values in the body and the query");
  await expectRefusal(db, () => create("nobody", null), /^owner: must be a UUID/);
});

it.each([
  ["no name", {}, "param is missing or the value is empty: account.name"],
  ["a name and the beginning of one", { name: "a", name_prefix: "b" }, /^account.name_prefix: cannot be combined/],
])("creates no account with %s", async (_name, account, sentence) => {
  await expectRefusal(db, () => owner.post("/accounts", { account }), sentence);
});
