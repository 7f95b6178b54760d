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
async function answerOf(login: string) {
  issuer.users.set(login, { email: `${login}@example.com`, email_verified: true });
  const browser = new Browser(callback);
  const { url } = await browser.signIn(await browser.open(`${gantry.url}/sign-in`), login);
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
