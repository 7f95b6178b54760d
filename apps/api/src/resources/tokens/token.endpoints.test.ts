import { createCaller, createProvider, startTestApi } from "@gantry/test/support/api";
import { expectRefusal, idsIn, startApiTest } from "@gantry/test/support/api-test";
import supertest from "supertest";

const password = "correct horse battery";
const { api, db, owner } = await startApiTest({
  password,
  settings: { TRUST_PROXY: "1", ANONYMOUS_RATE_LIMIT_PER_MINUTE: "100000" },
});

const signIn = (body: object) => supertest(api.app).post("/tokens").send(body);
const using = (token: string, path = "/users/current") =>
  supertest(api.app).get(path).set("Authorization", `Bearer ${token}`);
const makeWith = (token: string, attributes: object) =>
  supertest(api.app).post("/tokens").set("Authorization", `Bearer ${token}`).send({ token: attributes });
const email = () => `${owner.userId}@example.com`;
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

it("returns a token for the right password, and stores only its digest", async () => {
  const { status, body, headers } = await signIn({ email: email().toUpperCase(), password });
  expect([status, Object.keys(body), headers["cache-control"]]).toEqual([201, ["api_token"], "no-store"]);
  expect((await using(body.api_token)).body.user.id).toBe(owner.userId);
  const stored = JSON.stringify(await db.token.findMany());
  expect(stored).not.toContain(body.api_token);
});

it("signs in once per key, even concurrently, and shows the token only in the first response", async () => {
  const count = () => db.token.count({ where: { userId: owner.userId } });
  const before = await count();
  const send = () => signIn({ email: email(), password }).set("Idempotency-Key", "sign-in");
  const answers = [...(await Promise.all([send(), send(), send()])), await send()];
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
  expect(answers.filter(({ body }) => body.api_token !== null)).toHaveLength(1);
  expect(await count()).toBe(before + 1);
  expect((await signIn({ email: email(), password: "guess" }).set("Idempotency-Key", "sign-in")).status).toBe(401);
});

it("responds the same for a wrong password, an unknown e-mail and a user without a password", async () => {
  await db.user.update({
    where: { id: (await createCaller(api)).userId },
    data: { email: "sso@example.com", passwordHash: "" },
  });
  const wrong = await signIn({ email: email(), password: "guess" });
  const unknown = await signIn({ email: "unknown@example.com", password });
  const withoutPassword = await signIn({ email: "sso@example.com", password });
  expect([wrong.status, unknown.status, withoutPassword.status]).toEqual([401, 401, 401]);
  expect(wrong.body.errors).toEqual(unknown.body.errors);
  expect((await signIn({ email: email() })).body.missing).toBe("password");
});

it("does not sign in with a password that is changed during the check", async () => {
  const user = await createCaller(api, { password });
  const id = user.userId;
  const isBlocked = async () => {
    const rows = await db.$queryRaw<unknown[]>`
      SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    return rows.length > 0;
  };
  const { signingIn } = await db.$transaction(async (tx) => {
    await tx.$queryRaw`SELECT id FROM users WHERE id = ${id}::uuid FOR UPDATE`;
    const signingIn = signIn({ email: `${id}@example.com`, password }).then(({ status }) => status);
    while (!(await isBlocked()));
    await tx.user.update({ where: { id }, data: { passwordHash: "another" } });
    return { signingIn };
  });
  expect(await signingIn).toBe(401);
  expect(await db.token.count({ where: { userId: id } })).toBe(1);
});

it("creates, lists and revokes the caller's tokens, and refuses a revoked token", async () => {
  const created = await owner.post("/tokens", { token: { name: "ci", scopes: ["read"] } });
  expect(created.body.token).toMatchObject({ name: "ci", scopes: ["read"], accounts: [], cidrs: [] });
  const { api_token: text, token } = created.body;
  expect((await using(text)).status).toBe(200);
  const { tokens } = (await owner.get("/tokens")).body;
  expect(tokens.map(({ id }: { id: string }) => id)).toContain(token.id);
  const other = await createCaller(api, { accountId: owner.accountId });
  expect((await other.delete(`/tokens/${token.id}`)).status).toBe(404);
  expect((await owner.delete(`/tokens/${token.id}`)).status).toBe(204);
  expect((await using(text)).status).toBe(401);
  expect((await owner.delete(`/tokens/${token.id}`)).status).toBe(404);
});

describe("the current token", () => {
  it("is shown with its limits, without its text and apart from its user", async () => {
    const limits = { name: "ci", scopes: ["read"], cidrs: ["0.0.0.0/0"], accounts: [owner.accountId] };
    const { api_token: text, token } = (await owner.post("/tokens", { token: limits })).body;
    const { status, body } = await using(text, "/tokens/current");
    const { last_used_at: _, ...shown } = token;
    expect([status, body.token]).toMatchObject([200, { ...shown, account: null, role: null }]);
    expect(JSON.stringify(body)).not.toContain(text);
  });

  it("of a service has its account and its role", async () => {
    const path = `/accounts/${owner.accountId}/service-tokens`;
    const created = await owner.post(path, { service_token: { name: "deploys", role: "viewer" } });
    const { body } = await using(created.body.api_token, "/tokens/current");
    expect(body.token).toMatchObject({
      id: created.body.token.id,
      role: "viewer",
      account: expect.stringContaining(`/accounts/${owner.accountId}`),
    });
  });
});

describe("a token that a token creates is limited by it", () => {
  it("in scopes", async () => {
    expect((await owner.post("/tokens", { token: { name: "usual" } })).body.token.scopes).toEqual(["read", "write"]);
    const writer = await createCaller(api, { scopes: ["read", "write"] });
    const { status, body } = await writer.post("/tokens", { token: { name: "more", scopes: ["read", "admin"] } });
    expect([status, body.errors]).toEqual([403, ["your token lacks these scopes, so it cannot grant them: admin"]]);
    const reader = await createCaller(api, { scopes: ["read"] });
    expect((await reader.post("/tokens", { token: { name: "r", scopes: ["read"] } })).status).toBe(403);
  });

  it("in time: it expires no later, after 90 days by default, and after a year at most", async () => {
    const days = (text: string) => Math.round((new Date(text).getTime() - Date.now()) / 86_400_000);
    const usual = await owner.post("/tokens", { token: { name: "usual" } });
    expect(days(usual.body.token.expires_at)).toBe(90);
    const late = await owner.post("/tokens", { token: { name: "late", expires_at: inDays(366) } });
    expect([late.status, late.body.errors[0]]).toEqual([422, expect.stringContaining("must not be later than")]);
    const short = (await owner.post("/tokens", { token: { name: "short", expires_at: inDays(1) } })).body.api_token;
    expect((await makeWith(short, { expires_at: inDays(2) })).status).toBe(422);
    expect(days((await makeWith(short, {})).body.token.expires_at)).toBe(1);
    const past = await owner.post("/tokens", { token: { name: "past", expires_at: "2020-01-01T00:00:00Z" } });
    expect(past.body.errors).toEqual(["token.expires_at: must be in the future"]);
  });

  it("in accounts, which someone who signs in belongs to", async () => {
    const stranger = await createCaller(api);
    const tokens = await db.token.count();
    for (const account of [stranger.accountId, crypto.randomUUID()]) {
      const { status, body } = await signIn({
        email: email(),
        password,
        token: { accounts: [owner.accountId, account] },
      });
      expect([status, body.errors]).toEqual([404, ["token.accounts.1: not found"]]);
    }
    expect(await db.token.count()).toBe(tokens);
    const own = await signIn({ email: email(), password, token: { accounts: [owner.accountId] } });
    expect((await using(own.body.api_token, `/accounts/${owner.accountId}`)).status).toBe(200);
    const staff = await createCaller(api, { staff: true, password });
    const ofStaff = { email: `${staff.userId}@example.com`, password, token: { accounts: [stranger.accountId] } };
    expect((await signIn(ofStaff)).status).toBe(201);
  });

  it("in accounts", async () => {
    const stranger = await createCaller(api);
    const foreign = await owner.post("/tokens", { token: { accounts: [stranger.accountId] } });
    expect([foreign.status, foreign.body.details[0].path]).toEqual([404, "token.accounts.0"]);
    const member = await createCaller(api, { accountId: owner.accountId });
    const second = await createCaller(api);
    await db.membership.create({
      data: { id: crypto.randomUUID(), accountId: second.accountId, userId: member.userId, role: "owner" },
    });
    const limited = await member.post("/tokens", { token: { accounts: [owner.accountId] } });
    const { api_token: text } = limited.body;
    for (const account of [owner.accountId.toUpperCase(), `http://gantry.test/accounts/${owner.accountId}`])
      expect((await makeWith(text, { accounts: [account] })).body.token.accounts).toEqual(limited.body.token.accounts);
    expect((await using(text, `/accounts/${owner.accountId}`)).status).toBe(200);
    expect((await using(text, `/accounts/${second.accountId}`)).status).toBe(404);
    expect((await makeWith(text, { accounts: [second.accountId] })).status).toBe(404);
    expect((await makeWith(text, {})).body.token.accounts).toEqual([expect.stringContaining(owner.accountId)]);
    const staff = await createCaller(api, { staff: true });
    const ofStaff = (await staff.post("/tokens", { token: { accounts: [owner.accountId] } })).body.api_token;
    expect((await using(ofStaff, `/accounts/${second.accountId}`)).status).toBe(404);
  });

  it("in accounts, also in what its lists show", async () => {
    const member = await createCaller(api, { accountId: owner.accountId });
    const second = await createCaller(api);
    await db.membership.create({
      data: { id: crypto.randomUUID(), accountId: second.accountId, userId: member.userId, role: "owner" },
    });
    const [shown, hidden] = [await createProvider(db, owner.accountId), await createProvider(db, second.accountId)];
    const { api_token: text } = (await member.post("/tokens", { token: { accounts: [owner.accountId] } })).body;
    expect(idsIn(await member.get("/accounts")).sort()).toEqual([owner.accountId, second.accountId].sort());
    expect(idsIn(await using(text, "/accounts"))).toEqual([owner.accountId]);
    const providers = idsIn(await using(text, "/providers?per_page=100"));
    expect([providers.includes(shown.id), providers.includes(hidden.id)]).toEqual([true, false]);
  });

  it("in IP addresses", async () => {
    const from = (token: string, address: string) => using(token).set("X-Forwarded-For", address);
    const { api_token: text } = (await owner.post("/tokens", { token: { cidrs: ["192.0.2.0/24", "2001:db8::/32"] } }))
      .body;
    const statuses = [];
    for (const address of ["192.0.2.7", "::ffff:192.0.2.8", "2001:db8::1", "198.51.100.1", "2001:db9::1"])
      statuses.push((await from(text, address)).status);
    expect(statuses).toEqual([200, 200, 200, 403, 403]);
    const make = (cidrs?: string[]) => makeWith(text, { cidrs }).set("X-Forwarded-For", "192.0.2.7");
    expect((await make(["0.0.0.0/0"])).body.details).toEqual([expect.objectContaining({ path: "token.cidrs" })]);
    expect((await make(["192.0.2.128/25"])).status).toBe(201);
    expect((await make()).body.token.cidrs).toEqual(["192.0.2.0/24", "2001:db8::/32"]);
    expect((await owner.post("/tokens", { token: { cidrs: ["192.0.2.1/24"] } })).status).toBe(422);
  });

  it.each(["cidrs", "accounts"])("but not by an empty list of %s, which would be no limit", async (name) => {
    const sentence = `token.${name}: must not be empty; omit it for no limit`;
    await expectRefusal(db, () => owner.post("/tokens", { token: { [name]: [] } }), sentence);
  });

  it("in lifetime: both are revoked together, with the tokens created by them", async () => {
    const first = (await owner.post("/tokens", { token: { name: "first" } })).body;
    const second = (await makeWith(first.api_token, {})).body;
    const third = (await makeWith(second.api_token, {})).body;
    expect(third.token.parent).toBe(second.token.id);
    expect((await using(third.api_token)).status).toBe(200);
    expect((await owner.delete(`/tokens/${first.token.id}`)).status).toBe(204);
    expect((await using(second.api_token)).status).toBe(401);
    expect((await using(third.api_token)).status).toBe(401);
  });
});

it("with a token limited to accounts, shows and revokes only tokens limited to the same accounts", async () => {
  const whole = (await owner.post("/tokens", { token: { name: "whole" } })).body.token;
  const limited = (await owner.post("/tokens", { token: { accounts: [owner.accountId] } })).body;
  const child = (await makeWith(limited.api_token, {})).body.token;
  const listed = (await using(limited.api_token, "/tokens")).body.tokens.map(({ id }: { id: string }) => id);
  expect([listed.includes(child.id), listed.includes(whole.id)]).toEqual([true, false]);
  const revoke = (id: string) =>
    supertest(api.app).delete(`/tokens/${id}`).set("Authorization", `Bearer ${limited.api_token}`);
  expect([(await revoke(whole.id)).status, (await revoke(child.id)).status]).toEqual([404, 204]);
  expect((await revoke(limited.token.id)).status).toBe(204);
});

it("allows at most 100 active tokens per user, even with concurrent calls", async () => {
  const caller = await createCaller(api);
  const answers = await Promise.all(Array.from({ length: 105 }, () => caller.post("/tokens", { token: {} })));
  const statuses = answers.map(({ status }) => status);
  expect([
    statuses.filter((status) => status === 201).length,
    statuses.filter((status) => status === 409).length,
  ]).toEqual([99, 6]);
  const [oldest] = (await caller.get("/tokens")).body.tokens;
  await caller.delete(`/tokens/${oldest.id}`);
  expect((await caller.post("/tokens", { token: {} })).status).toBe(201);
});

describe("limits", () => {
  it("apply to a user, regardless of the number of tokens", async () => {
    const small = await startTestApi({ RATE_LIMIT_PER_MINUTE: "5" });
    const caller = await createCaller(small);
    const made = (await caller.post("/tokens", { token: {} })).body.api_token;
    const read = (token: string) => supertest(small.app).get("/networks").set("Authorization", `Bearer ${token}`);
    const statuses = [];
    for (let i = 0; i < 6; i++) statuses.push((await read(i % 2 === 0 ? made : caller.token)).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
    await small.close();
  });

  it("stop guessing a user's password, from any address and with any token", async () => {
    const small = await startTestApi({ TRUST_PROXY: "1", FAILED_SIGN_INS_PER_MINUTE: "3" });
    const victim = await createCaller(small, { password });
    const caller = await createCaller(small);
    const guess = (text: string, i: number) =>
      supertest(small.app)
        .post("/tokens")
        .set("X-Forwarded-For", `192.0.2.${i}`)
        .set(i % 2 === 0 ? { Authorization: `Bearer ${caller.token}` } : {})
        .send({ email: `${victim.userId}@example.com`, password: text });
    const statuses = [];
    for (let i = 0; i < 5; i++) statuses.push((await guess("a wrong one", i)).status);
    expect(statuses).toEqual([401, 401, 401, 429, 429]);
    expect((await guess(password, 9)).status).toBe(429);
    await small.close();
  });

  it("of sign-ins count by the address that a trusted proxy names", async () => {
    const small = await startTestApi({ TRUST_PROXY: "1", ANONYMOUS_RATE_LIMIT_PER_MINUTE: "2" });
    const tryFrom = (address: string, i: number) =>
      supertest(small.app)
        .post("/tokens")
        .set("X-Forwarded-For", address)
        .send({ email: `${i}@example.com`, password });
    const statuses = [];
    for (let i = 0; i < 3; i++) statuses.push((await tryFrom("192.0.2.1", i)).status);
    statuses.push((await tryFrom("192.0.2.2", 9)).status);
    expect(statuses).toEqual([401, 401, 429, 401]);
    const direct = await startTestApi({ ANONYMOUS_RATE_LIMIT_PER_MINUTE: "2" });
    const forged = [];
    for (let i = 0; i < 3; i++)
      forged.push(
        (
          await supertest(direct.app)
            .post("/tokens")
            .set("X-Forwarded-For", `192.0.2.${i}`)
            .send({ email: "a@example.com", password })
        ).status,
      );
    expect(forged).toEqual([401, 401, 429]);
    await Promise.all([small.close(), direct.close()]);
  });
});
