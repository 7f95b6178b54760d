import { randomUUID } from "node:crypto";
import { createApplication, createCaller, createEnvironment, createProvider } from "@gantry/test/support/api";
import { expectRefusal, idsIn, startApiTest } from "@gantry/test/support/api-test";

const { api, db, owner, provider } = await startApiTest();

const repository = "git@github.com:example/app.git";
const inputWith = (changes: object = {}) => ({ application: { name: "app", repository, type: "rails4", ...changes } });

it.each([
  ["java", "java"],
  ["nodejs", "nodejs"],
  ["php", "php"],
  ["rack", "ruby"],
  ["rails2", "ruby"],
  ["rails3", "ruby"],
  ["rails4", "ruby"],
  ["sinatra", "ruby"],
  ["merb", "ruby"],
])("creates an application of type %s in the language %s", async (type, language) => {
  const { status, body } = await owner.post("/applications", inputWith({ name: type, type }));
  expect([status, Object.keys(body)]).toEqual([201, ["application"]]);
  expect(body.application).toMatchObject({
    name: type,
    repository,
    type,
    language,
    account: `http://gantry.test/accounts/${owner.accountId}`,
    archives: null,
    deleted_at: null,
  });
});

it("refuses a caller in several accounts or in none without the account's id", async () => {
  const other = await createCaller(api);
  const staff = await createCaller(api, { staff: true });
  await db.membership.create({
    data: { id: randomUUID(), accountId: owner.accountId, userId: other.userId, role: "member" },
  });
  for (const caller of [other, staff]) {
    const { status, body } = await caller.post("/applications", inputWith({ name: "whose" }));
    expect([status, body.errors]).toEqual([
      422,
      [expect.stringMatching(/use POST \/accounts\/:account\/applications/)],
    ]);
  }
  const named = await other.post(`/accounts/${other.accountId}/applications`, inputWith({ name: "whose" }));
  expect(named.status).toBe(201);
});

it("refuses a name that another application of the account has, until that one is removed", async () => {
  const { body } = await owner.post("/applications", inputWith({ name: "once" }));
  const { id } = body.application;
  expect((await owner.post("/applications", inputWith({ name: "once" }))).body.errors).toEqual([
    `the account already has an application with this name: ${id}`,
  ]);
  expect((await owner.delete(`/applications/${id}`)).status).toBe(204);
  expect((await owner.post("/applications", inputWith({ name: "once" }))).status).toBe(201);
});

it("removes an application once, and not while an environment runs it", async () => {
  const { id } = await createApplication(db, owner.accountId);
  const environment = await createEnvironment(db, provider, { applicationId: id });
  const held = await owner.delete(`/applications/${id}`);
  expect([held.status, held.body.errors]).toEqual([409, [`environment ${environment.id} runs application ${id}`]]);
  expect(idsIn(await owner.get(`/environments/${environment.id}/applications`))).toEqual([id]);
  await db.environment.update({ where: { id: environment.id }, data: { deletedAt: new Date() } });
  const removed = await owner.delete(`/applications/${id}`);
  expect([removed.status, removed.text]).toEqual([204, ""]);
  expect((await owner.delete(`/applications/${id}`)).status).toBe(409);
  expect((await owner.get(`/applications/${id}`)).body.application.deleted_at).toMatch(/^20/);
  expect(idsIn(await owner.get(`/applications?id=${id}`))).toEqual([]);
  expect(idsIn(await owner.get(`/applications?id=${id}&deleted=true`))).toEqual([id]);
});

it("lists applications by their environment", async () => {
  const caller = await createCaller(api);
  const created = await createApplication(db, caller.accountId);
  const free = await createApplication(db, caller.accountId);
  const ownProvider = await createProvider(db, caller.accountId);
  const environment = await createEnvironment(db, ownProvider, { applicationId: created.id });
  expect(idsIn(await caller.get(`/applications?environment=${environment.id}`))).toEqual([created.id]);
  expect(idsIn(await caller.get("/applications?environment"))).toEqual([free.id]);
});

it.each(["cobol", "constructor"])("lists the known application types if it is sent the type %s", async (type) => {
  const { body } = await owner.post("/applications", inputWith({ type }));
  const sentence = `Unknown app type: ${type}`;
  const message = expect.stringMatching(new RegExp(`^${sentence}; valid types are java, nodejs, php, rack, .*merb$`));
  expect([body.errors, body.details]).toEqual([[sentence], [{ path: "application.type", message }]]);
});

it("is created in the account that a caller with several accounts sends in the body or the query", async () => {
  const caller = await createCaller(api);
  const { id } = (await caller.post("/accounts", { account: { name: "second" } })).body.account;
  const create = (query: string, account?: unknown) =>
    caller.post(`/applications${query}`, {
      ...(account !== undefined && { account }),
      ...inputWith({ name: randomUUID() }),
    });
  const ambiguous = await create("");
  expect([ambiguous.status, ambiguous.body.code]).toEqual([422, "ambiguous_account"]);
  for (const [query, account] of [
    [`?account=${id}`],
    ["", id],
    ["", `http://gantry.test/accounts/${id}`],
    [`?account=${id}`, `http://gantry.test/accounts/${id}`],
  ] as const) {
    const { status, body } = await create(query, account);
    expect([status, body.application?.account]).toEqual([201, `http://gantry.test/accounts/${id}`]);
  }
  expect((await create("", owner.accountId)).status).toBe(404);
  for (const [inQuery, inBody] of [
    [id, caller.accountId],
    [caller.accountId, id],
  ]) {
    const sentence = "account: has different values in the body and the query";
    await expectRefusal(db, () => create(`?account=${inQuery}`, inBody), sentence);
  }
});
