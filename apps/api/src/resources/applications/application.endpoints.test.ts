import { randomUUID } from "node:crypto";
import type { Provider } from "@gantry/db";
import {
  countRows,
  createApplication,
  createCaller,
  createEnvironment,
  createProvider,
  startTestApi,
  type TestApi,
  type TestCaller,
} from "@gantry/test/support/api";
import { afterAll, beforeAll, expect, it } from "@jest/globals";

let api: TestApi;
let owner: TestCaller;
let provider: Provider;

beforeAll(async () => {
  api = await startTestApi();
  owner = await createCaller(api);
  provider = await createProvider(api.db, owner.accountId);
});
afterAll(() => api.close());

const repository = "git@github.com:example/app.git";
const wanted = (changes: object = {}) => ({ application: { name: "app", repository, type: "rails4", ...changes } });
const ids = ({ body }: { body: { applications: { id: number }[] } }) => body.applications.map(({ id }) => id);

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
])("makes an application of type %s, which is %s", async (type, language) => {
  const { status, body } = await owner.post("/applications", wanted({ name: type, type }));
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

it.each([
  ["nothing", {}, "param is missing or the value is empty: application"],
  ...["name", "repository", "type"].flatMap((name) => [
    [
      `no ${name}`,
      wanted({ [name]: undefined }),
      `param is missing or the value is empty: application.${name}`,
    ] as const,
    [`a wrong ${name}`, wanted({ [name]: 7 }), new RegExp(`^application.${name}: `)] as const,
  ]),
  ["an empty name", wanted({ name: "" }), "application.name: must not be empty"],
  ["an unknown type", wanted({ type: "cobol" }), "Unknown app type: cobol"],
  ["what is no type", wanted({ type: "constructor" }), "Unknown app type: constructor"],
  ["an unknown key", wanted({ language: "ruby" }), "found unpermitted parameters: application.language"],
])("refuses %s and makes nothing", async (_name, body, sentence) => {
  const before = await countRows(api.db);
  for (const path of ["/applications", `/accounts/${owner.accountId}/applications`]) {
    const answer = await owner.post(path, body);
    expect([answer.status, answer.body.errors]).toEqual([
      422,
      [typeof sentence === "string" ? sentence : expect.stringMatching(sentence)],
    ]);
  }
  expect(await countRows(api.db)).toEqual(before);
});

it("asks for the account where the caller is in several, or in none", async () => {
  const other = await createCaller(api);
  const staff = await createCaller(api, { staff: true });
  await api.db.membership.create({
    data: { id: randomUUID(), accountId: owner.accountId, userId: other.userId, role: "member" },
  });
  for (const caller of [other, staff]) {
    const { status, body } = await caller.post("/applications", wanted({ name: "whose" }));
    expect([status, body.errors]).toEqual([
      422,
      [expect.stringMatching(/use POST \/accounts\/:account\/applications/)],
    ]);
  }
  const named = await other.post(`/accounts/${other.accountId}/applications`, wanted({ name: "whose" }));
  expect(named.status).toBe(201);
});

it("holds a name once among an account's living applications", async () => {
  const { body } = await owner.post("/applications", wanted({ name: "once" }));
  const { id } = body.application;
  expect((await owner.post("/applications", wanted({ name: "once" }))).body.errors).toEqual([
    `the account has an application of this name: ${id}`,
  ]);
  expect((await owner.delete(`/applications/${id}`)).status).toBe(204);
  expect((await owner.post("/applications", wanted({ name: "once" }))).status).toBe(201);
});

it("is removed once, and not while an environment runs it", async () => {
  const { id } = await createApplication(api.db, owner.accountId);
  const environment = await createEnvironment(api.db, provider, { applicationId: id });
  const held = await owner.delete(`/applications/${id}`);
  expect([held.status, held.body.errors]).toEqual([
    409,
    [`the application ${id} is run by environment ${environment.id}`],
  ]);
  expect(ids(await owner.get(`/environments/${environment.id}/applications`))).toEqual([id]);
  await api.db.environment.update({ where: { id: environment.id }, data: { deletedAt: new Date() } });
  const removed = await owner.delete(`/applications/${id}`);
  expect([removed.status, removed.text]).toEqual([204, ""]);
  expect((await owner.delete(`/applications/${id}`)).status).toBe(409);
  expect((await owner.get(`/applications/${id}`)).body.application.deleted_at).toMatch(/^20/);
  expect(ids(await owner.get(`/applications?id=${id}`))).toEqual([]);
  expect(ids(await owner.get(`/applications?id=${id}&deleted=true`))).toEqual([id]);
});

it("is not there for others, and only to be looked at for viewers", async () => {
  const { id } = await createApplication(api.db, owner.accountId);
  const stranger = await createCaller(api);
  const viewer = await createCaller(api, { accountId: owner.accountId, role: "viewer" });
  const environment = await createEnvironment(api.db, provider);
  const asked = [
    await stranger.get(`/applications/${id}`),
    await stranger.delete(`/applications/${id}`),
    await stranger.get(`/applications/${id}/deployments`),
    await stranger.get(`/accounts/${owner.accountId}/applications`),
    await stranger.post(`/accounts/${owner.accountId}/applications`, wanted()),
    await stranger.get(`/applications?account=${owner.accountId}`),
    await stranger.get(`/applications?environment=${environment.id}`),
    await stranger.get(`/environments/${environment.id}/applications`),
  ];
  expect(asked.map(({ status }) => status)).toEqual(asked.map(() => 404));
  const written = [await viewer.post("/applications", wanted()), await viewer.delete(`/applications/${id}`)];
  expect(written.map(({ status }) => status)).toEqual([403, 403]);
  expect((await viewer.get(`/applications/${id}`)).status).toBe(200);
});

it("is found by every filter", async () => {
  const caller = await createCaller(api);
  const made = await createApplication(api.db, caller.accountId, { type: "php", repository: "here" });
  const free = await createApplication(api.db, caller.accountId);
  const ownProvider = await createProvider(api.db, caller.accountId);
  const environment = await createEnvironment(api.db, ownProvider, { applicationId: made.id });
  for (const query of [
    `id=${made.id}`,
    `name=${made.name}`,
    "type=php",
    "repository=here",
    `account=${caller.accountId}&name=${made.name}`,
    `environment=${environment.id}`,
  ]) {
    expect([query, ids(await caller.get(`/applications?${query}`))]).toEqual([query, [made.id]]);
  }
  expect(ids(await caller.get("/applications?environment"))).toEqual([free.id]);
});
