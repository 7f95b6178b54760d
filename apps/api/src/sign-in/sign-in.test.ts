import { hash, randomBytes } from "node:crypto";
import { createCaller, startTestApi } from "@gantry/test/support/api";
import { Browser, CLIENT, type IssuerUser, startIssuer } from "@gantry/test/support/issuer";
import { openPort } from "@gantry/test/support/port";
import supertest from "supertest";
import { v7 as uuidv7 } from "uuid";

const HOUR_MS = 60 * 60_000;
const account = { id: uuidv7(), name: "Operations" };
const otherAccount = { id: uuidv7(), name: "Research" };

const gantry = await openPort();
const callback = `${gantry.url}/sign-in/callback`;
const issuer = await startIssuer(callback);
const settings = {
  BASE_URL: gantry.url,
  ANONYMOUS_RATE_LIMIT_PER_MINUTE: "100000",
  OIDC_ISSUER: issuer.url,
  OIDC_CLIENT_ID: CLIENT.id,
  OIDC_CLIENT_SECRET: CLIENT.secret,
  OIDC_SCOPES: "openid email profile groups",
  OIDC_GROUP_ROLES: [
    `readers=${account.id}:viewer`,
    `operators=${account.id}:admin`,
    `operators=${otherAccount.id}:member`,
    `operators=${uuidv7()}:member`,
  ].join(","),
};
const api = await startTestApi(settings);
const { db } = api;
gantry.serve(api.app);
await db.account.createMany({ data: [account, otherAccount] });
afterAll(async () => {
  await api.close();
  await gantry.close();
  await issuer.close();
});

/** Signs in at the issuer as a user of it, up to Gantry's answer. */
async function signIn(login: string, user: IssuerUser = {}, query = "") {
  const known = { email: `${login}@example.com`, email_verified: true, name: `The ${login}`, ...user };
  issuer.users.set(login, known);
  const browser = new Browser();
  const page = await browser.signIn(await browser.open(`${gantry.url}/sign-in${query}`), login);
  return { status: page.status, body: JSON.parse(page.text) };
}

/** Signs in up to the issuer's answer, which the browser does not follow. */
async function answerOf(login: string, query = "") {
  issuer.users.set(login, { email: `${login}@example.com`, email_verified: true });
  const browser = new Browser(callback);
  const { url } = await browser.signIn(await browser.open(`${gantry.url}/sign-in${query}`), login);
  // Cookies ignore ports: the browser sends the issuer's too.
  const cookies = await browser.cookies.getCookies(callback);
  return { url: new URL(url), cookie: String(cookies.find(({ key }) => key === "gantry-sign-in")?.cookieString()) };
}

const finish = ({ search }: URL, cookie?: string) => {
  const call = supertest(api.app).get(`/sign-in/callback${search}`);
  return cookie ? call.set("Cookie", cookie) : call;
};

const userIn = (token: string) => supertest(api.app).get("/users/current").set("Authorization", `Bearer ${token}`);
const rolesOf = async (userId: string) => {
  const memberships = await db.membership.findMany({ where: { userId } });
  return Object.fromEntries(memberships.map(({ accountId, role }) => [accountId, role]));
};

describe("a person who signs in at the issuer", () => {
  it("gets a new user the first time, the same one later under another e-mail, and a token for twelve hours", async () => {
    const before = Math.floor(Date.now() / 1000) * 1000;
    const first = await signIn("ada", { email: "Ada@Example.com" });
    expect([first.status, first.body.token]).toMatchObject([200, { name: "sign-in", scopes: ["read", "write"] }]);
    const end = new Date(first.body.token.expires_at).getTime();
    expect(end).toBeGreaterThanOrEqual(before + 12 * HOUR_MS);
    expect(end).toBeLessThanOrEqual(Date.now() + 12 * HOUR_MS);
    const { user } = (await userIn(first.body.api_token)).body;
    expect(user).toMatchObject({ email: "ada@example.com", name: "The ada" });
    const second = await signIn("ada", { email: "countess@example.com" });
    expect((await userIn(second.body.api_token)).body.user.id).toBe(user.id);
  });

  it("is matched to the user with the e-mail that the issuer verified", async () => {
    const { userId } = await createCaller(api);
    const { body } = await signIn("grace", { email: `${userId}@example.com` });
    expect((await userIn(body.api_token)).body.user.id).toBe(userId);
  });

  it("is refused without a verified e-mail, and no user is created", async () => {
    const unverified = await signIn("mallory", { email_verified: false });
    expect([unverified.status, unverified.body.errors]).toEqual([
      403,
      ["the issuer has not verified your e-mail address"],
    ]);
    expect(await db.user.count({ where: { email: "mallory@example.com" } })).toBe(0);
  });

  it("is refused if the user was deleted", async () => {
    const { api_token } = (await signIn("joan")).body;
    const { id } = (await userIn(api_token)).body.user;
    const ended = await supertest(api.app).delete(`/users/${id}`).set("Authorization", `Bearer ${api_token}`);
    expect(ended.status).toBe(204);
    const { status, body } = await signIn("joan");
    expect([status, body.errors]).toEqual([403, ["your user was deleted"]]);
  });

  it("is refused under the e-mail of a service token", async () => {
    const email = `${uuidv7()}@service.invalid`;
    await db.user.create({ data: { id: uuidv7(), name: "robot", email, service: true, passwordHash: "" } });
    const { status, body } = await signIn("robot", { email });
    expect([status, body.errors]).toEqual([403, [expect.stringContaining("belongs to a service")]]);
  });

  it("gets the scopes that it asks for, and a sentence for one that does not exist", async () => {
    const { body } = await signIn("barbara", {}, "?scopes=read,secrets:read");
    expect(body.token.scopes).toEqual(["read", "secrets:read"]);
    const { status, body: refusal } = await supertest(api.app).get("/sign-in?scopes=everything");
    expect([status, refusal.errors]).toEqual([422, [expect.stringContaining("scopes")]]);
  });

  it("gets the roles of its groups, with the highest of each account, and loses those that it is no longer in", async () => {
    const { body } = await signIn("alan", { groups: ["readers", "operators", "others"] });
    const { id } = (await userIn(body.api_token)).body.user;
    expect(await rolesOf(id)).toEqual({ [account.id]: "admin", [otherAccount.id]: "member" });
    await signIn("alan", { groups: ["readers"] });
    expect(await rolesOf(id)).toEqual({ [account.id]: "viewer" });
    await signIn("alan");
    expect(await rolesOf(id)).toEqual({});
  });

  it("also lowers the role of the service tokens that the person created", async () => {
    const { body } = await signIn("tony", { groups: ["operators"] }, "?scopes=read,write,admin");
    const path = `/accounts/${account.id}/service-tokens`;
    const made = await supertest(api.app)
      .post(path)
      .set("Authorization", `Bearer ${body.api_token}`)
      .send({ service_token: { name: "ci", role: "admin" } });
    expect([made.status, made.body.token.role]).toEqual([201, "admin"]);
    await signIn("tony", { groups: ["readers"] });
    const { tokens } = (await (await createCaller(api, { accountId: account.id })).get(path)).body;
    const { id } = made.body.token;
    expect(tokens).toContainEqual(expect.objectContaining({ id, role: "viewer" }));
  });

  it("loses the service tokens it created for an account when its groups no longer grant a role there", async () => {
    const { body } = await signIn("radia", { groups: ["operators"] }, "?scopes=read,write,admin");
    const made = await supertest(api.app)
      .post(`/accounts/${account.id}/service-tokens`)
      .set("Authorization", `Bearer ${body.api_token}`)
      .send({ service_token: { name: "ci", role: "member" } });
    expect((await userIn(made.body.api_token)).status).toBe(200);
    await signIn("radia");
    expect(await db.token.findUnique({ where: { id: made.body.token.id } })).toMatchObject({
      deletedAt: expect.any(Date),
    });
  });

  it("has the time of each sign-in on record, by the database's clock", async () => {
    const { body } = await signIn("frances");
    const { id: userId } = (await userIn(body.api_token)).body.user;
    const signedInAt = async () => (await db.externalIdentity.findFirstOrThrow({ where: { userId } })).signedInAt;
    await db.externalIdentity.updateMany({ where: { userId }, data: { signedInAt: new Date(0) } });
    await signIn("frances");
    const [clock] = await db.$queryRaw<{ now: Date }[]>`SELECT now()`;
    expect((await signedInAt()).getTime()).toBeGreaterThan(Number(clock?.now) - HOUR_MS);
  });

  it("keeps memberships that people created or changed, regardless of groups", async () => {
    const { body } = await signIn("edsger", { groups: ["operators"] });
    const { id: userId } = (await userIn(body.api_token)).body.user;
    const admin = await createCaller(api, { accountId: account.id });
    const [membership] = await db.membership.findMany({ where: { userId, accountId: account.id } });
    const changed = await admin.put(`/memberships/${membership?.id}`, { membership: { role: "member" } });
    expect(changed.status).toBe(200);
    const elsewhere = (await createCaller(api)).accountId;
    await db.membership.create({ data: { id: uuidv7(), accountId: elsewhere, userId, role: "owner" } });
    await signIn("edsger", { groups: ["readers"] });
    expect(await rolesOf(userId)).toEqual({ [account.id]: "member", [elsewhere]: "owner" });
  });

  it("is recorded: the sign-in, and each role gained or lost", async () => {
    const { body } = await signIn("donald", { groups: ["operators"] });
    const { id: userId } = (await userIn(body.api_token)).body.user;
    await signIn("donald");
    await db.$queryRaw`SELECT link_audit_records()`;
    const records = await db.auditRecord.findMany({ where: { userId }, orderBy: { createdAt: "asc" } });
    const shown = records.map(({ action, accountId, changes }) => [action, accountId, changes]);
    const action = "GET /sign-in/callback";
    const roles = (role: (of: string) => string) =>
      [account, otherAccount].map(({ id }) => [action, id, { role: role(id) }]);
    const signedIn = [action, null, { issuer: issuer.url }];
    const expected = [
      ...roles((id) => (id === account.id ? "admin" : "member")),
      ...roles(() => "none"),
      signedIn,
      signedIn,
    ];
    expect(shown).toHaveLength(expected.length);
    expect(shown).toEqual(expect.arrayContaining(expected));
  });
});

describe("an answer of the issuer", () => {
  it("is valid once, only in the browser that started the sign-in", async () => {
    const { url, cookie } = await answerOf("katherine");
    expect(cookie).not.toContain("katherine");
    const elsewhere = await finish(url);
    expect([elsewhere.status, elsewhere.body.code]).toEqual([400, "no_sign_in"]);
    const forged = await finish(url, cookie.replace(/.{9}$/, "forgery00"));
    expect(forged.status).toBe(400);
    const other = await answerOf("mallory");
    const crossed = await finish(url, other.cookie);
    expect(crossed.status).toBe(401);
    expect((await finish(url, cookie)).status).toBe(200);
    expect((await finish(url, cookie)).status).toBe(401);
  });

  it("is refused with another state or code, which is on record as a failed sign-in", async () => {
    const { url, cookie } = await answerOf("margaret");
    for (const name of ["state", "code", "iss"]) {
      const changed = new URL(url);
      changed.searchParams.set(name, name === "iss" ? "https://issuer.example.com" : "guess");
      const { status, body } = await finish(changed, cookie);
      expect([name, status]).toEqual([name, 401]);
      expect(body.errors).toEqual(["the issuer's response is invalid or was already used; sign in again"]);
    }
    await db.$queryRaw`SELECT link_audit_records()`;
    const failed = await db.auditRecord.findMany({ where: { status: 401, subject: { contains: "OpenID" } } });
    expect(failed.length).toBeGreaterThanOrEqual(3);
  });

  it("can be an error, which is shown to the person", async () => {
    const browser = new Browser();
    const { url } = await browser.open(`${gantry.url}/sign-in`);
    const page = await browser.open(`${url}/abort`);
    expect([page.status, JSON.parse(page.text).errors]).toEqual([
      403,
      ["the issuer rejected the sign-in: access_denied"],
    ]);
  });
});

describe("a terminal", () => {
  const REDIRECT = "http://127.0.0.1:49152/callback";
  const verifier = () => randomBytes(32).toString("base64url");
  const challengeOf = (text: string) => hash("sha256", text, "base64url");
  const startOf = (query: Record<string, string>) =>
    `${gantry.url}/sign-in?${new URLSearchParams({ redirect_uri: REDIRECT, state: "of-the-terminal", ...query })}`;

  /** Signs in with a browser that a terminal opened, up to the terminal's page. */
  async function answerTo(login: string, codeVerifier: string, user: IssuerUser = { email_verified: true }) {
    issuer.users.set(login, { email: `${login}@example.com`, ...user });
    const browser = new Browser(REDIRECT);
    const start = startOf({ code_challenge: challengeOf(codeVerifier) });
    const { url } = await browser.signIn(await browser.open(start), login);
    expect(url).toMatch(new RegExp(`^${REDIRECT}\\?`));
    return Object.fromEntries(new URL(url).searchParams);
  }

  const redeem = (body: Record<string, unknown>, key = uuidv7()) =>
    supertest(api.app)
      .post("/sign-in/token")
      .set("Idempotency-Key", key)
      .send({ redirect_uri: REDIRECT, ...body });

  it("gets a token for the code that the browser brings, with the name and the scopes that it asks for", async () => {
    const code_verifier = verifier();
    const { code, state } = await answerTo("terminal", code_verifier);
    expect(state).toBe("of-the-terminal");
    const token = { name: "gantry on laptop", scopes: ["read"] };
    const { status, body } = await redeem({ code, code_verifier, token });
    expect([status, body.token]).toMatchObject([201, token]);
    const end = new Date(body.token.expires_at).getTime();
    expect(end).toBeLessThanOrEqual(Date.now() + 12 * HOUR_MS);
    expect((await userIn(body.api_token)).body.user.email).toBe("terminal@example.com");
    await db.$queryRaw`SELECT link_audit_records()`;
    const { userId } = await db.token.findUniqueOrThrow({ where: { id: body.token.id } });
    const records = await db.auditRecord.findMany({ where: { userId }, orderBy: { createdAt: "asc" } });
    expect(records.map(({ action, status, subject, changes }) => [action, status, subject, changes])).toEqual([
      ["GET /sign-in/callback", 302, `user/${userId}`, { issuer: issuer.url }],
      ["POST /sign-in/token", 201, `token/${body.token.id}`, { issuer: issuer.url }],
    ]);
  });

  it("repeats its call by an idempotency key, and gets no second token", async () => {
    const code_verifier = verifier();
    const { code } = await answerTo("repeating", code_verifier);
    const key = uuidv7();
    const [first, second] = [await redeem({ code, code_verifier }, key), await redeem({ code, code_verifier }, key)];
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.body).toMatchObject({ api_token: null, token: first.body.token });
  });

  it("gets one token for a code that is sent several times at once", async () => {
    const code_verifier = verifier();
    const { code } = await answerTo("racing", code_verifier);
    const answers = await Promise.all([1, 2, 3, 4].map(() => redeem({ code, code_verifier })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 401, 401, 401]);
    expect(await db.token.count({ where: { user: { email: "racing@example.com" } } })).toBe(1);
  });

  it.each([
    ["another verifier", { code_verifier: verifier() }, "`code_verifier` does not belong"],
    ["another redirect", { redirect_uri: "http://127.0.0.1:49153/callback" }, "`redirect_uri` is not the one"],
  ])("gets no token with %s, and none with that code afterwards", async (name, changed, sentence) => {
    const code_verifier = verifier();
    const { code } = await answerTo(`with ${name}`.replaceAll(" ", "-"), code_verifier);
    const wrong = await redeem({ code, code_verifier, ...changed });
    expect([wrong.status, wrong.body.errors]).toEqual([401, [expect.stringContaining(sentence)]]);
    const { status, body } = await redeem({ code, code_verifier });
    expect([status, body.errors]).toEqual([401, ["this code was already used; sign in again"]]);
    expect(await db.token.count({ where: { user: { email: { startsWith: `with-${name.split(" ")[0]}` } } } })).toBe(0);
  });

  it("gets no token for a code that has expired, is unknown, or whose user has ended", async () => {
    const code_verifier = verifier();
    const expired = await answerTo("late", code_verifier);
    await db.signInCode.updateMany({ data: { expiresAt: new Date(Date.now() - 1000) } });
    const ended = await answerTo("ended", code_verifier);
    await db.user.update({ where: { email: "ended@example.com" }, data: { deletedAt: new Date() } });
    const codes = [expired.code, "guess", ended.code];
    const sentences = [];
    for (const code of codes) sentences.push((await redeem({ code, code_verifier })).body.errors[0]);
    expect(sentences).toEqual([
      "this code has expired; sign in again",
      "this code is unknown; sign in again",
      "your user was deleted; sign in again",
    ]);
  });

  it("gets no token that lasts longer than one from a browser", async () => {
    const code_verifier = verifier();
    const { code } = await answerTo("lasting", code_verifier);
    const expires_at = new Date(Date.now() + 13 * HOUR_MS).toISOString();
    const { status, body } = await redeem({ code, code_verifier, token: { expires_at } });
    expect([status, body.details[0].path]).toEqual([422, "token.expires_at"]);
  });

  it("learns why a person was refused, which is on record", async () => {
    const { error, error_description, state } = await answerTo("unverified", verifier(), { email_verified: false });
    expect([error, error_description, state]).toEqual([
      "access_denied",
      "the issuer has not verified your e-mail address",
      "of-the-terminal",
    ]);
    await db.$queryRaw`SELECT link_audit_records()`;
    expect(await db.auditRecord.count({ where: { action: "GET /sign-in/callback", status: 403 } })).toBeGreaterThan(0);
  });

  it("leaves no code in the database", async () => {
    const { code = "" } = await answerTo("hidden", verifier());
    const rows = await db.signInCode.findMany();
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows.map((row) => ({ ...row, digest: Buffer.from(row.digest).toString() })))).not.toContain(
      code,
    );
  });

  it.each([
    "https://127.0.0.1:49152/",
    "http://localhost:49152/",
    "http://127.0.0.1/",
    "http://127.0.0.1:99999/",
    "http://127.0.0.1:49152@example.com/",
    "http://127.0.0.1:49152/?next=x",
    "http://127.0.0.1.example.com:49152/",
    "http://[::2]:49152/",
    "//example.com/",
  ])("cannot send the browser to %s", async (redirect_uri) => {
    const start = startOf({ redirect_uri, code_challenge: challengeOf(verifier()) });
    const { status, body } = await supertest(api.app).get(start.slice(gantry.url.length));
    expect([status, body.errors]).toEqual([422, [expect.stringContaining("redirect_uri: ")]]);
  });

  it.each(["redirect_uri", "code_challenge", "state"])("must send %s with the others", async (name) => {
    const url = new URL(startOf({ redirect_uri: "http://[::1]:49152/", code_challenge: challengeOf(verifier()) }));
    expect((await supertest(api.app).get(`/sign-in${url.search}`)).status).toBe(302);
    url.searchParams.delete(name);
    const { status, body } = await supertest(api.app).get(`/sign-in${url.search}`);
    expect([status, body.missing]).toEqual([422, name]);
  });

  it("cannot use the plain method of PKCE", async () => {
    const url = new URL(startOf({ code_challenge: challengeOf(verifier()), code_challenge_method: "plain" }));
    expect((await supertest(api.app).get(`/sign-in${url.search}`)).status).toBe(422);
  });
});

it("keeps what a sign-in needs in a cookie that scripts and other sites do not get", async () => {
  const { status, headers } = await supertest(api.app).get("/sign-in");
  expect([status, headers["cache-control"]]).toEqual([302, "no-store"]);
  expect(headers["set-cookie"]?.[0]).toMatch(
    /^gantry-sign-in=.+; Max-Age=600; Path=\/sign-in; .*HttpOnly; SameSite=Lax$/,
  );
  const asked = new URL(String(headers.location)).searchParams;
  expect([asked.get("code_challenge_method"), asked.get("redirect_uri")]).toEqual(["S256", callback]);
});

it("reports that the issuer does not respond, and signs in as soon as it does", async () => {
  const other = await startTestApi(settings);
  try {
    issuer.isAway = true;
    const { status, body } = await supertest(other.app).get("/sign-in");
    expect([status, body.code]).toEqual([503, "issuer_unavailable"]);
    issuer.isAway = false;
    expect((await supertest(other.app).get("/sign-in")).status).toBe(302);
  } finally {
    issuer.isAway = false;
    await other.close();
  }
});

it("explains how to sign in if no issuer is configured", async () => {
  const other = await startTestApi();
  try {
    const { status, body } = await supertest(other.app).get("/sign-in");
    expect([status, body.errors[0]]).toEqual([404, expect.stringContaining("OIDC_ISSUER")]);
  } finally {
    await other.close();
  }
});

describe("a sign-in from the console", () => {
  it("sets the cookie and returns to the console's page, without showing a token", async () => {
    const { url, cookie } = await answerOf(
      "dorothy",
      `?return_to=${encodeURIComponent("/console/a/requests?state=failed")}`,
    );
    const { status, text, headers } = await finish(url, cookie);
    expect([status, headers.location]).toEqual([302, "/console/a/requests?state=failed"]);
    expect(text).not.toContain("gty_");
    const session = (headers["set-cookie"] as unknown as string[]).find((header) => header.startsWith("gantry="));
    expect(session).toMatch(/; Path=\/; HttpOnly; SameSite=Strict$/);
    const { body } = await supertest(api.app)
      .get("/session")
      .set("Cookie", String(session?.split(";")[0]));
    expect(body).toMatchObject({
      session: { user: { email: "dorothy@example.com" } },
      sign_in: { issuer: issuer.url },
    });
    const audited = await db.pendingAuditRecord.findMany({ where: { userId: body.session.user.id } });
    expect(audited).toContainEqual(expect.objectContaining({ action: "GET /sign-in/callback", status: 302 }));
    expect((await finish(url, cookie)).status).toBe(401);
  });

  it("returns to nothing but a page of the console", async () => {
    const elsewhere = [
      "",
      "/",
      "/consoles",
      "/queues",
      "//console/",
      "/console//../../queues",
      "/console/../queues",
      "/console/%2e%2e/queues",
      "/console/..\\queues",
      "/console/\n",
      "/\\example.com/console",
      "https://example.com/console/",
      "console/",
    ];
    for (const page of elsewhere) {
      const { status, body } = await supertest(api.app).get(`/sign-in?return_to=${encodeURIComponent(page)}`);
      expect([page, status, body.errors]).toEqual([page, 422, [expect.stringContaining("under /console")]]);
    }
    const terminal = `redirect_uri=http://127.0.0.1:4/&state=s&code_challenge=${"c".repeat(43)}`;
    expect((await supertest(api.app).get(`/sign-in?return_to=/console/&${terminal}`)).status).toBe(422);
    const plain = supertest(api.app).get("/sign-in?return_to=/console/").set("Host", "gantry.example.com");
    expect((await plain).status).toBe(403);
  });
});
