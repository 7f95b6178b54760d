import { createCaller, REGION, type TestCaller } from "@gantry/test/support/api";
import { startApiTest } from "@gantry/test/support/api-test";
import supertest from "supertest";

const password = "correct horse battery";
const { api, db, owner, provider } = await startApiTest();
const path = `/accounts/${owner.accountId}/service-tokens`;
const create = (service_token: object, by = owner) =>
  by.post(path, { service_token: { name: "ci", ...service_token } });
const as = (token: string) => ({
  get: (path: string) => supertest(api.app).get(path).set("Authorization", `Bearer ${token}`),
  post: (path: string, body: object) =>
    supertest(api.app).post(path).set("Authorization", `Bearer ${token}`).send(body),
});

it("acts in its account with its role, and can be kept when its creator is removed", async () => {
  const admin = await createCaller(api, { accountId: owner.accountId, role: "admin" });
  const { status, body } = await create({ role: "member" }, admin);
  expect([status, body.token.accounts]).toEqual([201, [expect.stringContaining(owner.accountId)]]);
  const service = as(body.api_token);
  const network = { provider: provider.id, network: { cidr: "10.0.0.0/16", location: REGION } };
  const { request } = (await service.post("/networks", network)).body;
  expect(request.requested_by).toEqual({ type: "service", id: expect.any(String) });
  expect((await owner.get(`/requests/${request.id}`)).body.request.requested_by).toEqual(request.requested_by);
  expect((await service.get(`/requests/${request.id}/requester`)).body.user.name).toBe("ci");
  expect((await service.post(`/accounts/${owner.accountId}/invitations`, {})).status).toBe(403);
  const { id } = await db.membership.findFirstOrThrow({ where: { userId: admin.userId } });
  expect((await owner.delete(`/memberships/${id}?keep_service_tokens=true`)).status).toBe(204);
  expect((await service.get("/networks")).status).toBe(200);
});

it("does not work in a second account, even if staff add its service there", async () => {
  const { token } = (await create({ role: "viewer" })).body;
  const { userId } = await db.token.findUniqueOrThrow({ where: { id: token.id } });
  const staff = await createCaller(api, { staff: true, reason: "a test" });
  const other = await createCaller(api);
  const membership = { email: `${userId}@service.invalid`, role: "viewer" };
  expect((await staff.post(`/accounts/${other.accountId}/memberships`, { membership })).status).toBe(422);
  expect(await db.membership.count({ where: { userId } })).toBe(1);
});

it("neither sees nor accepts an invitation to a second account", async () => {
  const { token, api_token: text } = (await create({ role: "admin", scopes: ["read", "write", "admin"] })).body;
  const { userId } = await db.token.findUniqueOrThrow({ where: { id: token.id } });
  const { email } = await db.user.findUniqueOrThrow({ where: { id: userId } });
  const other = await createCaller(api);
  const invitation = { email, role: "admin" };
  const { body } = await other.post(`/accounts/${other.accountId}/invitations`, { invitation });
  const service = as(text);
  const answers = [
    await service.get("/users/current/invitations"),
    await service.post(`/invitations/${body.invitation.id}/accept`, {}),
    await service.post("/accounts", { account: { name: "second" } }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([403, 403, 403]);
  expect(await db.membership.count({ where: { userId } })).toBe(1);
});

it("has at most the scopes, lifetime and role of its creator, and no password", async () => {
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

it("is revoked with the token that created it", async () => {
  const maker = (await owner.post("/tokens", { token: { scopes: ["read", "write", "admin"] } })).body;
  const made = (await as(maker.api_token).post(path, { service_token: { name: "ci", role: "viewer" } })).body;
  await owner.delete(`/tokens/${maker.token.id}`);
  expect((await as(made.api_token).get("/networks")).status).toBe(401);
});

it("can outlive the session that created it, for at most a year, but not the service that created it", async () => {
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
  const session = await createCaller(api, { accountId: owner.accountId, expiresAt: new Date(inDays(0.5)) });
  const lasting = (days: number, by = session) => create({ role: "admin", expires_at: inDays(days) }, by);
  expect([(await lasting(364)).status, (await lasting(366)).status]).toEqual([201, 422]);
  const service = (await create({ role: "admin", expires_at: inDays(2), scopes: ["write", "admin"] })).body.api_token;
  const make = (days: number) =>
    as(service).post(path, {
      service_token: { name: "x", role: "viewer", scopes: ["write"], expires_at: inDays(days) },
    });
  expect([(await make(1)).status, (await make(3)).status]).toEqual([201, 422]);
});

describe("is revoked with its creator's tokens, unless it is kept,", () => {
  const removal = async (maker: TestCaller, keep: boolean) => {
    const { id } = await db.membership.findFirstOrThrow({ where: { userId: maker.userId } });
    return `/memberships/${id}${keep ? "?keep_service_tokens=true" : ""}`;
  };
  const acts: Record<string, (maker: TestCaller, keep: boolean) => Promise<{ status: number }>> = {
    "when the maker changes the password": async (maker, keep_service_tokens) =>
      maker.put("/users/current/password", {
        current_password: password,
        password: "another horse battery",
        ...(keep_service_tokens && { keep_service_tokens }),
      }),
    "when staff ends the maker": async (maker, keep) => {
      const staff = await createCaller(api, { staff: true, reason: "a test" });
      return staff.delete(`/users/${maker.userId}${keep ? "?keep_service_tokens=true" : ""}`);
    },
    "when the maker is removed": async (maker, keep) => owner.delete(await removal(maker, keep)),
    "when the maker's tokens are revoked in the account": async (maker, keep) =>
      owner.post((await removal(maker, keep)).replace(/(?=\?|$)/, "/revoke-tokens")),
  };

  it.each(Object.entries(acts))("%s", async (_when, act) => {
    for (const keep of [false, true]) {
      const maker = await createCaller(api, { accountId: owner.accountId, role: "admin", password });
      const first = (await create({ role: "admin", scopes: ["read", "write", "admin"] }, maker)).body.api_token;
      const second = (await as(first).post(path, { service_token: { name: "second", role: "viewer" } })).body.api_token;
      const reads = async () => [(await as(first).get("/networks")).status, (await as(second).get("/networks")).status];
      expect(await reads()).toEqual([200, 200]);
      const services = () => db.membership.count({ where: { accountId: owner.accountId, user: { service: true } } });
      const before = await services();
      expect((await act(maker, keep)).status).toBeLessThan(300);
      expect([keep, await reads(), before - (await services())]).toEqual([
        keep,
        keep ? [200, 200] : [401, 401],
        keep ? 0 : 2,
      ]);
    }
  });

  it("and always when the creator leaves or is deleted", async () => {
    const maker = await createCaller(api, { accountId: owner.accountId, role: "admin" });
    expect((await maker.delete(await removal(maker, true))).status).toBe(403);
    expect((await maker.delete(`/users/${maker.userId}?keep_service_tokens=true`)).status).toBe(403);
    const service = (await create({ role: "viewer" }, maker)).body.api_token;
    expect((await maker.delete(await removal(maker, false))).status).toBe(204);
    expect((await as(service).get("/networks")).status).toBe(401);
    const { audit_records } = (await owner.get(`/accounts/${owner.accountId}/audit?user=${maker.userId}`)).body;
    expect(audit_records[0]).toMatchObject({ action: "DELETE /memberships/:membership", status: 204 });
  });
});

describe("when its creator's role becomes lower", () => {
  const rolesOf = async (...ids: string[]) => {
    const { tokens } = (await owner.get(path)).body;
    return ids.map((wanted) => tokens.find(({ id }: { id: string }) => id === wanted)?.role);
  };
  const changeRole = async (userId: string, role: string) => {
    const { id } = await db.membership.findFirstOrThrow({ where: { userId, accountId: owner.accountId } });
    return owner.put(`/memberships/${id}`, { membership: { role } });
  };

  it("is lowered at once with the tokens that it created, until an administrator raises it", async () => {
    const maker = await createCaller(api, { accountId: owner.accountId, role: "admin" });
    const first = (await create({ role: "admin", scopes: ["read", "write", "admin"] }, maker)).body;
    const input = { service_token: { name: "second", role: "admin", scopes: ["read", "write", "admin"] } };
    const second = (await as(first.api_token).post(path, input)).body;
    const third = (await create({ role: "viewer" }, maker)).body;
    const ofOwner = (await create({ role: "admin" })).body;
    expect(first.token.role).toBe("admin");
    const all = [first, second, third, ofOwner].map(({ token }) => token.id);
    const administers = async () =>
      Promise.all([first, second].map(async ({ api_token }) => (await as(api_token).get(path)).status));
    expect(await administers()).toEqual([200, 200]);

    expect((await changeRole(maker.userId, "member")).status).toBe(200);
    expect(await administers()).toEqual([403, 403]);
    expect(await rolesOf(...all)).toEqual(["member", "member", "viewer", "admin"]);
    await changeRole(maker.userId, "viewer");
    await changeRole(maker.userId, "admin");
    expect(await rolesOf(...all)).toEqual(["viewer", "viewer", "viewer", "admin"]);
    const { userId } = await db.token.findUniqueOrThrow({ where: { id: first.token.id } });
    await changeRole(userId, "member");
    expect(await rolesOf(...all)).toEqual(["member", "viewer", "viewer", "admin"]);
  });

  it("is not created with the earlier role", async () => {
    const maker = await createCaller(api, { accountId: owner.accountId, role: "admin" });
    const { making } = await db.$transaction(async (tx) => {
      await tx.membership.updateMany({ where: { userId: maker.userId }, data: { role: "member" } });
      const making = create({ name: "too high", role: "admin" }, maker).then(({ status }) => status);
      while (!(await isBlocked()));
      return { making };
    });
    expect(await making).toBe(403);
    expect(await db.user.count({ where: { name: "too high" } })).toBe(0);
  });
});

async function isBlocked() {
  const rows = await db.$queryRaw<unknown[]>`
    SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  return rows.length > 0;
}

it("is not created by a token that is being revoked", async () => {
  const maker = (await owner.post("/tokens", { token: { scopes: ["read", "write", "admin"] } })).body;
  const { making } = await db.$transaction(async (tx) => {
    await tx.token.update({ where: { id: maker.token.id }, data: { deletedAt: new Date() } });
    const making = as(maker.api_token)
      .post(path, { service_token: { name: "late", role: "viewer" } })
      .then(({ status }) => status);
    while (!(await isBlocked()));
    return { making };
  });
  expect(await making).toBe(401);
  expect(await db.user.count({ where: { name: "late" } })).toBe(0);
});
