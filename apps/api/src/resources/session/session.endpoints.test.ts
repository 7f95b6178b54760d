import { createCaller, startTestApi, type TestCaller } from "@gantry/test/support/api";
import { startApiTest } from "@gantry/test/support/api-test";
import { fillAccount } from "@gantry/test/support/fixtures";
import { testKeys } from "@gantry/test/support/stack";
import supertest, { type Test } from "supertest";
import { tokenDigest } from "../../http/auth/tokens.js";
import { createConsoleCode } from "../tokens/sign-in-codes.js";

const HOUR_MS = 60 * 60_000;
const password = "correct horse battery";
const { api, db, owner } = await startApiTest({
  password,
  settings: { TRUST_PROXY: "1", ANONYMOUS_RATE_LIMIT_PER_MINUTE: "100000" },
});
const emailOf = ({ userId }: TestCaller) => `${userId}@example.com`;

/** A browser with the console's cookie. */
interface Browser {
  cookie: string;
  csrf: string;
  // biome-ignore lint/suspicious/noExplicitAny: the session that the answer shows.
  session: any;
  get(path: string): Test;
  post(path: string, body?: object): Test;
  delete(path: string): Test;
}

const start = (body: object) => supertest(api.app).post("/session").send(body);
const cookieOf = (answer: { headers: Record<string, unknown> }) =>
  String(answer.headers["set-cookie"]).split(";")[0] ?? "";

async function openConsole(body: object = { email: emailOf(owner), password }): Promise<Browser> {
  const answer = await start(body);
  expect([answer.status, answer.body.errors]).toEqual([201, undefined]);
  const cookie = cookieOf(answer);
  const { session } = answer.body;
  const csrf = session.csrf_token;
  const change = (call: Test) => call.set({ Cookie: cookie, "Gantry-CSRF": csrf });
  return {
    cookie,
    csrf,
    session,
    get: (path) => supertest(api.app).get(path).set("Cookie", cookie),
    post: (path, body = {}) => change(supertest(api.app).post(path)).send(body),
    delete: (path) => change(supertest(api.app).delete(path)),
  };
}

const sessionsOf = ({ userId }: TestCaller) =>
  db.token.findMany({ where: { userId, session: true, deletedAt: null }, orderBy: { createdAt: "asc" } });
const using = (token: string) => supertest(api.app).get("/users/current").set("Authorization", `Bearer ${token}`);
const age = (id: string, minutes: number) =>
  db.$executeRaw`UPDATE tokens SET created_at = now() - make_interval(mins => ${minutes}) WHERE id = ${id}::uuid`;

describe("a sign-in to the console", () => {
  it("with a password sets a cookie that no script and no other site can use, and shows the session", async () => {
    const answer = await start({ email: emailOf(owner).toUpperCase(), password });
    expect([answer.status, answer.headers["cache-control"]]).toEqual([201, "no-store"]);
    const [header] = answer.headers["set-cookie"] as unknown as string[];
    expect(header).toMatch(/^gantry=gty_\w+; Max-Age=43\d\d\d; Path=\/; HttpOnly; SameSite=Strict$/);
    expect(JSON.stringify(answer.body)).not.toContain("gty_");
    const [row] = (await sessionsOf(owner)).slice(-1);
    const lifetime = Number(row?.expiresAt) - Date.now();
    expect([lifetime > 11.9 * HOUR_MS, lifetime <= 12 * HOUR_MS]).toEqual([true, true]);
    expect(answer.body.session).toEqual({
      user: expect.objectContaining({ id: owner.userId, email: emailOf(owner) }),
      accounts: [{ id: owner.accountId, name: "Test", role: "owner" }],
      scopes: ["read", "write", "secrets:read", "admin"],
      expires_at: `${row?.expiresAt?.toISOString().slice(0, 19)}+00:00`,
      csrf_token: expect.stringMatching(/^[\w-]{43}$/),
    });
    const { body } = await supertest(api.app).get("/session").set("Cookie", cookieOf(answer));
    expect(body.session).toEqual(answer.body.session);
    const { tokens } = (await owner.get("/tokens")).body;
    expect(tokens).toContainEqual(expect.objectContaining({ id: row?.id, name: "console", parent: null }));
  });

  it("is recorded in the audit, without its secrets", async () => {
    const browser = await openConsole();
    const [record] = await db.pendingAuditRecord.findMany({
      where: { action: "POST /session", userId: owner.userId },
      orderBy: { createdAt: "desc" },
    });
    const [row] = (await sessionsOf(owner)).slice(-1);
    expect(record).toMatchObject({ status: 201, subject: `token/${row?.id}` });
    expect(JSON.stringify(record)).not.toContain(password);
    await browser.delete("/session");
    const ended = await db.pendingAuditRecord.count({
      where: { action: "DELETE /session", subject: `token/${row?.id}`, userId: owner.userId },
    });
    expect(ended).toBe(1);
  });

  it("with a wrong password counts as a failed sign-in, and with a wrong token as a refused token", async () => {
    const limited = await startTestApi({ FAILED_SIGN_INS_PER_MINUTE: "2", ANONYMOUS_RATE_LIMIT_PER_MINUTE: "8" });
    try {
      const { userId } = await createCaller(limited, { password });
      const attempt = async (body: object) => (await supertest(limited.app).post("/session").send(body)).status;
      const email = `${userId}@example.com`;
      expect([await attempt({ email, password: "guess" }), await attempt({ email, password: "guess" })]).toEqual([
        401, 401,
      ]);
      expect(await attempt({ email, password })).toBe(429);
      const statuses = [];
      for (let i = 0; i < 6; i++) statuses.push(await attempt({ api_token: "gty_guess" }));
      expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
    } finally {
      await limited.close();
    }
  });

  it("accepts one way at a time", async () => {
    expect((await start({})).body.missing).toBe("email");
    expect((await start({ email: emailOf(owner), password, api_token: owner.token })).status).toBe(422);
  });

  it("leaves a user at most 20 sessions: the next one ends the oldest, and no other token", async () => {
    const user = await createCaller(api, { password });
    const named = await user.post("/tokens", { token: { name: "console" } });
    const [oldest, second] = [
      await openConsole({ api_token: user.token }),
      await openConsole({ api_token: user.token }),
    ];
    for (let i = 0; i < 18; i++) await openConsole({ api_token: user.token });
    expect((await oldest.get("/users/current")).status).toBe(200);
    await openConsole({ email: emailOf(user), password });
    expect(await sessionsOf(user)).toHaveLength(20);
    expect((await oldest.get("/users/current")).status).toBe(401);
    expect((await second.get("/users/current")).status).toBe(200);
    expect((await using(named.body.api_token)).status).toBe(200);
  });
});

describe("GET /session", () => {
  it("shows without a session how to sign in", async () => {
    const { status, body } = await supertest(api.app).get("/session");
    expect([status, body]).toEqual([
      200,
      { session: null, sign_in: { issuer: null }, version: expect.stringMatching(/^\d+\./) },
    ]);
    expect((await owner.get("/session")).body.session).toBeNull();
  });

  it("shows none for the cookie of a session that has ended, and a new sign-in works with it", async () => {
    const browser = await openConsole();
    expect((await browser.delete("/session")).status).toBe(204);
    expect((await browser.get("/session")).body.session).toBeNull();
    expect((await browser.get("/users/current")).status).toBe(401);
    expect((await start({ api_token: owner.token }).set("Cookie", browser.cookie)).status).toBe(201);
  });

  it("shows at most 100 accounts, without those in which the user's tokens were revoked", async () => {
    const browser = await openConsole();
    const ids: string[] = Array.from({ length: 101 }, () => crypto.randomUUID());
    await db.account.createMany({ data: ids.map((id, i) => ({ id, name: `A${i}` })) });
    await db.membership.createMany({
      data: ids.map((id) => ({ id, accountId: id, userId: owner.userId, role: "viewer" as const })),
    });
    try {
      const { accounts } = (await browser.get("/session")).body.session;
      expect([accounts.length, accounts[0]]).toEqual([100, { id: ids[0], name: "A0", role: "viewer" }]);
      await db.membership.updateMany({ where: { accountId: String(ids[0]) }, data: { tokensValidFrom: new Date() } });
      const later = (await browser.get("/session")).body.session.accounts;
      expect(later.map(({ id }: { id: string }) => id)).not.toContain(ids[0]);
    } finally {
      await db.membership.deleteMany({ where: { id: { in: ids } } });
    }
  });
});

describe("the cookie", () => {
  it("is bound to the host and to HTTPS where a proxy or BASE_URL shows HTTPS", async () => {
    const answer = await start({ api_token: owner.token })
      .set("Host", "gantry.example.com")
      .set("X-Forwarded-Proto", "https");
    const [header] = answer.headers["set-cookie"] as unknown as string[];
    expect(header).toMatch(/^__Host-gantry=gty_.*; Path=\/; HttpOnly; Secure; SameSite=Strict$/);
    const get = () => supertest(api.app).get("/users/current").set("Cookie", cookieOf(answer));
    expect((await get().set("X-Forwarded-Proto", "https")).status).toBe(200);
    expect((await get()).status).toBe(401);
  });

  it("neither starts nor authenticates over plain HTTP, except on a loopback address", async () => {
    const { cookie } = await openConsole();
    const hosts = { "gantry.example.com": 403, "10.0.0.7:3000": 403, "127.0.0.1.example.com": 403 };
    for (const [host, status] of Object.entries(hosts)) {
      const answer = await start({ api_token: owner.token }).set("Host", host);
      expect([host, answer.status, answer.body.errors]).toEqual([host, status, [expect.stringContaining("HTTPS")]]);
      const read = await supertest(api.app).get("/users/current").set({ Host: host, Cookie: cookie });
      expect([host, read.status]).toEqual([host, 401]);
    }
    for (const host of ["localhost:3000", "127.0.0.1:3000", "[::1]:3000"])
      expect((await start({ api_token: owner.token }).set("Host", host)).status).toBe(201);
  });

  it("is weaker than a token in a header, and holds no other token than a session's", async () => {
    const browser = await openConsole();
    const other = await createCaller(api);
    const { body } = await browser.get("/users/current").set("Authorization", `Bearer ${other.token}`);
    expect(body.user.id).toBe(other.userId);
    const refused = await browser.get("/users/current").set("Authorization", "Bearer gty_wrong");
    expect(refused.status).toBe(401);
    const withToken = await supertest(api.app).get("/users/current").set("Cookie", `gantry=${owner.token}`);
    expect(withToken.status).toBe(401);
  });
});

describe("a change with the cookie", () => {
  const attempt = async (headers: Record<string, string>) => {
    const before = await db.token.count();
    const { status, body } = await supertest(api.app).post("/tokens").set(headers).send({});
    return { status, code: body.code, made: (await db.token.count()) - before };
  };
  const refused = { status: 403, code: "csrf", made: 0 };
  const accepted = { status: 201, code: undefined, made: 1 };

  it("needs the value of its own session", async () => {
    const [browser, other] = [await openConsole(), await openConsole()];
    const { cookie: Cookie, csrf } = browser;
    expect(await attempt({ Cookie })).toEqual(refused);
    expect(await attempt({ Cookie, "Gantry-CSRF": "" })).toEqual(refused);
    expect(await attempt({ Cookie, "Gantry-CSRF": other.csrf })).toEqual(refused);
    expect(await attempt({ Cookie, "Gantry-CSRF": csrf })).toEqual(accepted);
    const signOut = await supertest(api.app).delete("/session").set({ Cookie });
    expect([signOut.status, signOut.body.code]).toEqual([403, "csrf"]);
    expect((await browser.get("/users/current")).status).toBe(200);
  });

  it("must come from a page of this site, if the browser says where it comes from", async () => {
    const { cookie: Cookie, csrf } = await openConsole();
    const headers = { Cookie, "Gantry-CSRF": csrf };
    for (const site of ["cross-site", "same-site", "none"])
      expect([site, await attempt({ ...headers, "Sec-Fetch-Site": site })]).toEqual([site, refused]);
    expect(await attempt({ ...headers, "Sec-Fetch-Site": "same-origin" })).toEqual(accepted);
  });

  it("needs nothing of this with a token in a header", async () => {
    const { cookie: Cookie } = await openConsole();
    expect(await attempt({ Cookie, Authorization: `Bearer ${owner.token}` })).toEqual(accepted);
  });

  it("does not act on the queues", async () => {
    const staff = await createCaller(api, { staff: true });
    const browser = await openConsole({ api_token: staff.token });
    expect((await browser.get("/queues")).status).toBe(401);
  });
});

describe("a session that an API token starts", () => {
  it("is no wider than the token, and ends with it", async () => {
    const limits = {
      name: "narrow",
      scopes: ["read"],
      accounts: [owner.accountId],
      cidrs: ["0.0.0.0/0"],
      expires_at: new Date(Date.now() + HOUR_MS).toISOString(),
    };
    const { api_token, token } = (await owner.post("/tokens", { token: limits })).body;
    const browser = await openConsole({ api_token });
    expect(browser.session).toMatchObject({ scopes: ["read"], expires_at: token.expires_at });
    const row = await db.token.findFirst({ where: { parentId: token.id } });
    expect(row).toMatchObject({ scopes: ["read"], accountIds: [owner.accountId], cidrs: ["0.0.0.0/0"] });
    expect((await browser.post("/keypairs", {})).status).toBe(403);
    expect((await owner.delete(`/tokens/${token.id}`)).status).toBe(204);
    expect((await browser.get("/users/current")).status).toBe(401);
  });

  it("creates only tokens that end with that one", async () => {
    const expires_at = new Date(Date.now() + 24 * HOUR_MS).toISOString();
    const limits = { name: "a day", scopes: ["read", "write"], expires_at };
    const { api_token, token } = (await owner.post("/tokens", { token: limits })).body;
    const browser = await openConsole({ api_token });
    const made = await browser.post("/tokens", { token: { name: "made" } });
    expect([made.status, made.body.token.expires_at]).toEqual([201, token.expires_at]);
    const later = new Date(Date.now() + 25 * HOUR_MS).toISOString();
    expect((await browser.post("/tokens", { token: { name: "longer", expires_at: later } })).status).toBe(422);
    expect((await browser.post("/tokens", { token: { name: "more", scopes: ["admin"] } })).status).toBe(403);
    await browser.delete("/session");
    expect((await using(made.body.api_token)).status).toBe(200);
    await owner.delete(`/tokens/${token.id}`);
    expect((await using(made.body.api_token)).status).toBe(401);
  });

  it("is refused for a token that is unknown, ended, used from elsewhere, or a session's", async () => {
    const { cookie } = await openConsole();
    const revoked = (await owner.post("/tokens", { token: { name: "revoked" } })).body;
    await owner.delete(`/tokens/${revoked.token.id}`);
    for (const api_token of ["", "gty_wrong", revoked.api_token, cookie.replace("gantry=", "")]) {
      const { status, body } = await start({ api_token });
      expect([status, body.errors]).toEqual([401, ["this API token is unknown, has expired or was revoked"]]);
    }
    const elsewhere = await owner.post("/tokens", { token: { name: "office", cidrs: ["192.0.2.0/24"] } });
    expect((await start({ api_token: elsewhere.body.api_token })).status).toBe(403);
  });
});

describe("tokens that a session creates", () => {
  const create = (browser: Browser) => [
    () => browser.post("/tokens", { token: { name: "ci" } }),
    () =>
      browser.post(`/accounts/${owner.accountId}/service-tokens`, { service_token: { name: "ci", role: "member" } }),
  ];

  it("outlive it, within 15 minutes of the sign-in", async () => {
    const browser = await openConsole();
    const [row] = (await sessionsOf(owner)).slice(-1);
    await age(String(row?.id), 14);
    const texts: string[] = [];
    for (const send of create(browser)) {
      const { status, body } = await send();
      expect([status, Date.parse(body.token.expires_at) > Date.now() + 24 * HOUR_MS]).toEqual([201, true]);
      texts.push(body.api_token);
    }
    expect((await browser.delete("/session")).status).toBe(204);
    for (const text of texts) expect((await using(text)).status).toBe(200);
  });

  it("need a new sign-in later", async () => {
    const browser = await openConsole();
    const [row] = (await sessionsOf(owner)).slice(-1);
    await age(String(row?.id), 16);
    const tokens = await db.token.count();
    for (const send of create(browser)) {
      const { status, body } = await send();
      expect([status, body.code, body.errors]).toEqual([403, "sign_in_again", [expect.stringContaining("15 minutes")]]);
    }
    expect(await db.token.count()).toBe(tokens);
    expect((await browser.post("/tokens", { email: emailOf(owner), password })).status).toBe(201);
  });

  it("end if the session is revoked instead of signed out, as when its cookie was stolen", async () => {
    const browser = await openConsole();
    const [row] = (await sessionsOf(owner)).slice(-1);
    const made = await browser.post("/tokens", { token: { name: "stolen" } });
    expect((await owner.delete(`/tokens/${row?.id}`)).status).toBe(204);
    expect((await using(made.body.api_token)).status).toBe(401);
  });
});

it("shows secrets to a caller with the cookie only if it asks for them, and records no reading otherwise", async () => {
  const fixtures = await fillAccount(api, owner, 1);
  const path = `/environments/${fixtures.environments}`;
  const reads = () => db.pendingAuditRecord.count({ where: { action: "read secret" } });
  const browser = await openConsole();
  const before = await reads();
  const page = await browser.get(path);
  expect([page.status, page.body.environment.internal_private_key, await reads()]).toEqual([200, null, before]);
  const shown = await browser.get(path).set("Gantry-Secrets", "show");
  expect([shown.body.environment.internal_private_key, await reads()]).toEqual([expect.any(String), before + 1]);
  expect(shown.headers.etag).not.toBe(page.headers.etag);
  expect((await owner.get(path)).body.environment.internal_private_key).toEqual(expect.any(String));
});

describe("a one-time link", () => {
  const digests = { digest: tokenDigest(testKeys.tokens) };
  const code = () => createConsoleCode(db, digests, owner.userId);

  it("signs its user in once", async () => {
    const text = await code();
    const browser = await openConsole({ code: text });
    expect(browser.session.user.id).toBe(owner.userId);
    expect((await start({ code: text })).status).toBe(401);
    const concurrent = await code();
    const answers = await Promise.all([start({ code: concurrent }), start({ code: concurrent })]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 401]);
  });

  it("works for a minute, on Gantry's own machine, and for no terminal", async () => {
    const expired = await code();
    await db.$executeRaw`UPDATE sign_in_codes SET expires_at = now() WHERE digest = ${digests.digest(expired)}`;
    expect((await start({ code: expired })).status).toBe(401);
    const remote = await code();
    const from = (headers: Record<string, string>) => start({ code: remote }).set(headers);
    expect((await from({ "X-Forwarded-For": "192.0.2.7" })).status).toBe(403);
    expect((await from({ Host: "gantry.example.com", "X-Forwarded-Proto": "https" })).status).toBe(403);
    expect((await from({})).status).toBe(201);
    const terminal = { code: await code(), code_verifier: "v".repeat(43), redirect_uri: "console" };
    expect((await supertest(api.app).post("/sign-in/token").send(terminal)).status).toBe(401);
    expect((await start({ code: "unknown" })).status).toBe(401);
  });
});
