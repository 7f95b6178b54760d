import { createCaller, REGION } from "@gantry/test/support/api";
import { startApiTest } from "@gantry/test/support/api-test";
import { expect, it } from "@jest/globals";
import supertest from "supertest";

const { api, db, owner, provider } = await startApiTest();
const path = `/accounts/${owner.accountId}/service-tokens`;
const create = (service_token: object, by = owner) =>
  by.post(path, { service_token: { name: "ci", ...service_token } });
const as = (token: string) => ({
  get: (path: string) => supertest(api.app).get(path).set("Authorization", `Bearer ${token}`),
  post: (path: string, body: object) =>
    supertest(api.app).post(path).set("Authorization", `Bearer ${token}`).send(body),
});

it("acts in its account with its role, and stays when the person who made it leaves", async () => {
  const admin = await createCaller(api, { accountId: owner.accountId, role: "admin" });
  const { status, body } = await create({ role: "member" }, admin);
  expect([status, body.token.accounts]).toEqual([201, [expect.stringContaining(owner.accountId)]]);
  const service = as(body.api_token);
  const network = { provider: provider.id, network: { cidr: "10.0.0.0/16", location: REGION } };
  const { request } = (await service.post("/networks", network)).body;
  expect((await service.get(`/requests/${request.id}/requester`)).body.user.name).toBe("ci");
  expect((await service.post(`/accounts/${owner.accountId}/invitations`, {})).status).toBe(403);
  const { id } = await db.membership.findFirstOrThrow({ where: { userId: admin.userId } });
  expect((await owner.delete(`/memberships/${id}`)).status).toBe(204);
  expect((await service.get("/networks")).status).toBe(200);
});

it("belongs to no second account, even if staff adds its service there", async () => {
  const { token } = (await create({ role: "viewer" })).body;
  const { userId } = await db.token.findUniqueOrThrow({ where: { id: token.id } });
  const staff = await createCaller(api, { staff: true, reason: "a test" });
  const other = await createCaller(api);
  const membership = { email: `${userId}@service.invalid`, role: "viewer" };
  expect((await staff.post(`/accounts/${other.accountId}/memberships`, { membership })).status).toBe(422);
  expect(await db.membership.count({ where: { userId } })).toBe(1);
});

it("has no more scopes, time or role than its maker, and no password", async () => {
  const admin = await createCaller(api, {
    accountId: owner.accountId,
    role: "admin",
    scopes: ["read", "write", "admin"],
  });
  expect((await create({ role: "member", scopes: ["secrets:read"] }, admin)).status).toBe(403);
  expect((await create({ role: "owner" }, admin)).status).toBe(403);
  const member = await createCaller(api, { accountId: owner.accountId, role: "member" });
  expect((await create({ role: "viewer" }, member)).status).toBe(403);
  const user = await db.user.findFirstOrThrow({ where: { service: true } });
  const signIn = await supertest(api.app).post("/tokens").send({ email: user.email, password: "none" });
  expect(signIn.status).toBe(401);
});

it("is listed and revoked by the account's administrators, with its service", async () => {
  const { token, api_token: text } = (await create({ role: "viewer" })).body;
  const stranger = await createCaller(api);
  expect((await stranger.delete(`/service-tokens/${token.id}`)).status).toBe(404);
  const listed = async () => (await owner.get(path)).body.tokens.map(({ id }: { id: string }) => id);
  expect(await listed()).toContain(token.id);
  expect((await owner.delete(`/service-tokens/${token.id}`)).status).toBe(204);
  expect(await listed()).not.toContain(token.id);
  expect((await as(text).get("/networks")).status).toBe(401);
  expect((await owner.delete(`/service-tokens/${token.id}`)).status).toBe(404);
});

it("is revoked with the token that made it", async () => {
  const maker = (await owner.post("/tokens", { token: { scopes: ["read", "write", "admin"] } })).body;
  const made = (await as(maker.api_token).post(path, { service_token: { name: "ci", role: "viewer" } })).body;
  await owner.delete(`/tokens/${maker.token.id}`);
  expect((await as(made.api_token).get("/networks")).status).toBe(401);
});
