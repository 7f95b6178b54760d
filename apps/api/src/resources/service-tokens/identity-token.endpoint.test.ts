import { createCaller, REGION, startTestApi } from "@gantry/test/support/api";
import { startApiTest } from "@gantry/test/support/api-test";
import { foreignSignature, hmacSignature, startPipelineIssuer } from "@gantry/test/support/pipeline-issuer";
import supertest from "supertest";

const [issuer, busy] = await Promise.all([startPipelineIssuer(), startPipelineIssuer()]);
afterAll(() => Promise.all([issuer, busy].map(({ close }) => close())));
const GITHUB = "https://token.actions.githubusercontent.com";
const settings = {
  TRUSTED_ISSUERS: `${issuer.url}, ${busy.url}, ${GITHUB}, https://gitlab.com`,
  ANONYMOUS_RATE_LIMIT_PER_MINUTE: "100000",
};
const { api, db, owner, provider } = await startApiTest({ settings });
const path = `/accounts/${owner.accountId}/service-tokens`;
const AUDIENCE = "http://gantry.test";

let repositories = 0;
const newRepository = () => `repo:acme/shop-${++repositories}`;

const create = (trusts: object, { by = owner, ...attributes }: { by?: typeof owner; [name: string]: unknown } = {}) =>
  by.post(path.replace(owner.accountId, by.accountId), {
    service_token: { name: "ci", role: "member", ...attributes, trusts: { issuer: issuer.url, ...trusts } },
  });
const exchange = (identity_token: string, more: object = {}) =>
  supertest(api.app)
    .post("/sign-in/identity-token")
    .send({ identity_token, ...more });
const as = (token: string) => ({
  get: (path: string) => supertest(api.app).get(path).set("Authorization", `Bearer ${token}`),
  post: (path: string, body: object) =>
    supertest(api.app).post(path).set("Authorization", `Bearer ${token}`).send(body),
  delete: (path: string) => supertest(api.app).delete(path).set("Authorization", `Bearer ${token}`),
});

/** A service token that trusts the main branch of a new repository, and that branch's subject. */
async function trusting(attributes: Parameters<typeof create>[1] = {}) {
  const repository = newRepository();
  const subject = `${repository}:ref:refs/heads/main`;
  const { body } = await create({ subject }, attributes);
  return { id: body.token.id as string, subject };
}

describe("a service token that trusts identities", () => {
  it("has no text, and shows what it trusts", async () => {
    const subject = `${newRepository()}:ref:refs/heads/*`;
    const { status, body } = await create({ subject });
    const trusts = { issuer: issuer.url, subject, audience: AUDIENCE };
    expect([status, body.api_token, body.token.trusts]).toEqual([201, null, trusts]);
    const { tokens } = (await owner.get(path)).body;
    expect(tokens.find(({ id }: { id: string }) => id === body.token.id)).toEqual(body.token);
    const withText = (await owner.post(path, { service_token: { name: "own", role: "viewer" } })).body;
    expect([withText.token.trusts, typeof withText.api_token]).toEqual([null, "string"]);
  });

  it("is refused for an issuer that the operator does not trust, with the list", async () => {
    const { status, body } = await create({ issuer: "https://evil.example.com", subject: "repo:acme/shop:x" });
    expect([status, body.errors]).toEqual([
      422,
      [expect.stringContaining(`must be an issuer that the operator trusts: ${issuer.url}, ${busy.url}, ${GITHUB}`)],
    ]);
  });

  it.each([
    [
      "https://gitlab.com",
      ["*", "project_path:*", "project_path:acme*", "project_path:*/shop:ref_type:branch:ref:main"],
    ],
    ["https://gitlab.com", ["ref:main", "ref_type:branch:ref:main", "project_path:acme"]],
    [GITHUB, ["*", "repo:*", "repo:acme*", "repo:*/shop:ref:refs/heads/main", "repo:acme", "repository_owner:acm*"]],
    [GITHUB, ["ref:refs/heads/main", "environment:production", "pull_request", "job_workflow_ref:acme/x/y.yml@main"]],
    [issuer.url, ["*", "repo:*", "repo:acme*", "*:acme/shop", "system:serviceaccount*"]],
  ])("is refused for a subject of strangers at %s: %j", async (issuer, subjects) => {
    for (const subject of subjects) {
      const { status, body } = await create({ issuer, subject });
      expect([subject, status, body.details?.[0]?.path]).toEqual([subject, 422, "service_token.trusts.subject"]);
    }
  });

  it.each([
    ["https://gitlab.com", "project_path:acme/*:ref_type:branch:ref:main"],
    [GITHUB, "repo:acme/*:ref:refs/heads/main"],
    [GITHUB, "repo:acme@123/shop@456:pull_request"],
    [GITHUB, "repository_owner_id:65:environment:production"],
    [issuer.url, "org/0190c4a2/project/*"],
  ])("may trust, at %s, %s", async (issuer, subject) => {
    expect((await create({ issuer, subject })).status).toBe(201);
  });

  it("has one * between two colons at most", async () => {
    expect((await create({ subject: "repo:acme/a*b*" })).status).toBe(422);
  });
});

describe("an identity token", () => {
  it("is exchanged for a token of the service, with its scopes and account, for an hour at most", async () => {
    const { id, subject } = await trusting({ scopes: ["read"] });
    const before = Date.now();
    const { status, body } = await exchange(issuer.token(subject));
    const expiresAt = new Date(body.token.expires_at).getTime();
    const lifetimes = { least: expiresAt - Date.now(), most: expiresAt - before };
    expect([status, body.token]).toMatchObject([201, { parent: id, scopes: ["read"], name: "ci" }]);
    expect(body.token.accounts).toEqual([expect.stringContaining(owner.accountId)]);
    expect(lifetimes.most).toBeGreaterThanOrEqual(3_599_000);
    expect(lifetimes.least).toBeLessThanOrEqual(3_600_000);
    const job = as(body.api_token);
    expect((await job.get("/tokens/current")).body.token).toMatchObject({ id: body.token.id, role: "member" });
    const network = { provider: provider.id, network: { cidr: "10.0.0.0/16", location: REGION } };
    expect((await job.post("/networks", network)).status).toBe(403);
  });

  it("ends no later than the service token", async () => {
    const expires_at = new Date(Date.now() + 600_000).toISOString();
    const { subject } = await trusting({ expires_at });
    const end = (await exchange(issuer.token(subject))).body.token.expires_at;
    expect(new Date(end).getTime()).toBeLessThanOrEqual(new Date(expires_at).getTime());
  });

  it("is audited with issuer and subject, and never itself; refused ones too", async () => {
    const { subject } = await trusting();
    const identityToken = issuer.token(subject);
    const { body } = await exchange(identityToken);
    const { audit_records } = (await owner.get(`/accounts/${owner.accountId}/audit`)).body;
    expect(audit_records[0]).toMatchObject({
      action: "POST /sign-in/identity-token",
      status: 201,
      subject: `token/${body.token.id}`,
      changes: { issuer: issuer.url, subject },
    });
    const stranger = "repo:mallory/shop:pull_request";
    await exchange(issuer.token(stranger));
    await db.$queryRaw`SELECT link_audit_records()`;
    const records = await db.auditRecord.findMany({ where: { action: "POST /sign-in/identity-token" } });
    expect(records.map((record) => record.subject)).toContain(`${issuer.url} ${stranger}`);
    expect(JSON.stringify(records, (_, value) => (typeof value === "bigint" ? `${value}` : value))).not.toContain(
      identityToken.split(".")[2],
    );
  });

  it("may be exchanged again until it expires, also by many jobs at once, which fetch the keys once", async () => {
    const subject = `${newRepository()}:pull_request`;
    const { token } = (await create({ issuer: busy.url, subject })).body;
    const identityToken = busy.token(subject);
    const answers = await Promise.all(Array.from({ length: 30 }, () => exchange(identityToken)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
    expect(new Set(answers.map(({ body }) => body.api_token)).size).toBe(30);
    expect(busy.requested).toEqual(["/.well-known/openid-configuration", "/keys"]);
    const { tokens } = (await owner.get(path)).body;
    expect(tokens.filter(({ parent }: { parent: string }) => parent === token.id)).toEqual([]);
    const works = await Promise.all(answers.map(({ body }) => as(body.api_token).get("/networks")));
    expect(works.map(({ status }) => status)).toEqual(works.map(() => 200));
  });
});

describe("refuses", () => {
  const main = "repo:acme/refused:ref:refs/heads/main";
  const hour = 3600;
  const now = () => Math.floor(Date.now() / 1000);
  const none = (input: object) => Buffer.from(JSON.stringify(input)).toString("base64url");
  beforeAll(() => create({ subject: main }));

  const cases: Record<string, [() => string, string]> = {
    "one that is no JWT": [() => "text", "it is not a JWT"],
    "one of another issuer": [
      () => issuer.token(main, AUDIENCE, { claims: { iss: "https://evil.example.com" } }),
      'its issuer is "https://evil.example.com"; this installation trusts http://127.0.0.1',
    ],
    "one without an issuer": [
      () => issuer.token(main, AUDIENCE, { claims: { iss: undefined } }),
      'its issuer is "undefined"',
    ],
    "the same subject of another trusted issuer": [
      () => busy.token(main),
      `(it has issuer ${busy.url}, subject ${main}`,
    ],
    "one of a trusted issuer with the key of another one": [
      () => busy.token(main, AUDIENCE, { claims: { iss: issuer.url } }),
      `it is not signed with a key of ${issuer.url}`,
    ],
    "one with a foreign signature": [
      () => issuer.token(main, AUDIENCE, { signature: foreignSignature }),
      `it is not signed with a key of ${issuer.url}`,
    ],
    "one whose claims were changed": [
      () => {
        const [header, , signature] = issuer.token("repo:mallory/shop:pull_request").split(".");
        return [header, issuer.token(main).split(".")[1], signature].join(".");
      },
      `it is not signed with a key of ${issuer.url}`,
    ],
    "one with a key that the issuer does not have": [
      () => issuer.token(main, AUDIENCE, { header: { kid: "other" } }),
      `it is not signed with a key of ${issuer.url}`,
    ],
    "one without a signature": [
      () => `${none({ alg: "none" })}.${issuer.token(main).split(".")[1]}.`,
      "it must be signed with a private key",
    ],
    "one that is signed with the public key as a shared secret": [
      () => issuer.token(main, AUDIENCE, { header: { alg: "HS256" }, signature: hmacSignature(issuer.publicKeyPem()) }),
      "it must be signed with a private key",
    ],
    "one that has expired": [() => issuer.token(main, AUDIENCE, { claims: { exp: now() - 1 } }), "it expired at 20"],
    "one that never expires": [
      () => issuer.token(main, AUDIENCE, { claims: { exp: undefined } }),
      "its `exp` is missing or wrong",
    ],
    "one that is not valid yet": [
      () => issuer.token(main, AUDIENCE, { claims: { nbf: now() + hour, exp: now() + 2 * hour } }),
      "it is not valid yet",
    ],
    "one for another audience": [
      () => issuer.token(main, "https://other.example.com"),
      `its audience must be ${AUDIENCE} (it has issuer ISSUER, subject ${main}, audience https://other.example.com)`,
    ],
    "one without an audience": [
      () => issuer.token(main, undefined, { claims: { aud: undefined } }),
      "its `aud` is missing or wrong",
    ],
    "one whose subject is not text": [
      () => issuer.token(main, AUDIENCE, { claims: { sub: { admin: true } } }),
      "its `sub` or `aud` is not a text",
    ],
    ...Object.fromEntries(
      [
        "repo:acme/refused:ref:refs/heads/main2",
        "repo:acme/refused:ref:refs/heads",
        "repo:acme/refused",
        `x${main}`,
      ].map((subject): [string, [() => string, string]] => [
        `one of the subject ${subject}`,
        [
          () => issuer.token(subject),
          `trusts its subject; create one with this issuer and subject in \`trusts\` (it has`,
        ],
      ]),
    ),
  };

  it.each(Object.entries(cases))("%s", async (_name, [token, reason]) => {
    const before = await db.token.count();
    const { status, body } = await exchange(token());
    expect([status, body.errors]).toEqual([401, [expect.stringContaining(reason.replace("ISSUER", issuer.url))]]);
    expect(await db.token.count()).toBe(before);
  });

  it("no branch, and nothing beyond the part that a * stands for", async () => {
    const repository = newRepository();
    await create({ subject: `${repository}:ref:refs/heads/release-*` });
    const statusFor = async (subject: string) => (await exchange(issuer.token(subject))).status;
    expect(await statusFor(`${repository}:ref:refs/heads/release-1`)).toBe(201);
    for (const end of ["ref:refs/heads/release-", "ref:refs/heads/main", "ref:refs/heads/release-1:x", "pull_request"])
      expect([end, await statusFor(`${repository}:${end}`)]).toEqual([end, 401]);
  });

  it("with 503 while the issuer is away or its configuration is another issuer's, and keeps the keys that it has", async () => {
    const unknown = await startPipelineIssuer();
    await unknown.close();
    const lost = await startTestApi({ TRUSTED_ISSUERS: unknown.url });
    const answer = await supertest(lost.app)
      .post("/sign-in/identity-token")
      .send({ identity_token: unknown.token(main) });
    expect([answer.status, answer.body.code]).toEqual([503, "issuer_unavailable"]);
    await lost.close();
    const renamed = await startPipelineIssuer();
    renamed.name = issuer.url;
    const misled = await startTestApi({ TRUSTED_ISSUERS: renamed.url });
    const identity_token = renamed.token(main);
    expect((await supertest(misled.app).post("/sign-in/identity-token").send({ identity_token })).status).toBe(503);
    await Promise.all([misled.close(), renamed.close()]);
    issuer.isAway = true;
    expect((await exchange(issuer.token(main))).status).toBe(201);
    issuer.isAway = false;
  });
});

it("is no way around the limit of an address, even with a token", async () => {
  const limited = await startTestApi({ TRUSTED_ISSUERS: issuer.url, ANONYMOUS_RATE_LIMIT_PER_MINUTE: "2" });
  const statuses: number[] = [];
  for (const identity_token of ["a", "b", "c"])
    statuses.push((await (await createCaller(limited)).post("/sign-in/identity-token", { identity_token })).status);
  expect(statuses).toEqual([401, 401, 429]);
  await limited.close();
});

it("needs an audience if the installation has no BASE_URL", async () => {
  const nameless = await startTestApi({ TRUSTED_ISSUERS: issuer.url, BASE_URL: "" });
  const caller = await createCaller(nameless);
  const trusts = { issuer: issuer.url, subject: "repo:acme/shop:pull_request" };
  const send = (more: object) =>
    caller.post(`/accounts/${caller.accountId}/service-tokens`, {
      service_token: { name: "ci", role: "viewer", trusts: { ...trusts, ...more } },
    });
  const refused = await send({});
  expect([refused.status, refused.body.missing]).toEqual([422, "service_token.trusts.audience"]);
  expect((await send({ audience: "gantry" })).status).toBe(201);
  await nameless.close();
});

describe("if several service tokens trust an identity", () => {
  it("the caller names one of them", async () => {
    const { id, subject } = await trusting({ scopes: ["read"] });
    const other = (await create({ subject: subject.replace("main", "*") })).body.token.id;
    const ambiguous = await exchange(issuer.token(subject));
    expect([ambiguous.status, ambiguous.body.missing]).toEqual([422, "service_token"]);
    expect(ambiguous.body.errors[0]).toContain([id, other].sort().join(", "));
    const named = await exchange(issuer.token(subject), { service_token: id });
    expect([named.status, named.body.token.parent]).toEqual([201, id]);
    const { id: stranger } = await trusting();
    expect((await exchange(issuer.token(subject), { service_token: stranger })).status).toBe(404);
  });

  it("those for another audience do not count", async () => {
    const { id, subject } = await trusting();
    await create({ subject, audience: "https://other.example.com" });
    expect((await exchange(issuer.token(subject))).body.token.parent).toBe(id);
  });
});

describe("the exchanged token", () => {
  it("reaches no other account, and nothing of a person", async () => {
    const { subject } = await trusting();
    const other = await createCaller(api);
    const job = as((await exchange(issuer.token(subject))).body.api_token);
    expect((await job.get(`/accounts/${owner.accountId}`)).status).toBe(200);
    expect((await job.get(`/accounts/${other.accountId}`)).status).toBe(404);
    expect((await job.get("/users/current/invitations")).status).toBe(403);
  });

  it("is revoked with the service token", async () => {
    const { id, subject } = await trusting();
    const job = as((await exchange(issuer.token(subject))).body.api_token);
    expect((await job.get("/networks")).status).toBe(200);
    expect((await owner.delete(`/service-tokens/${id}`)).status).toBe(204);
    expect((await job.get("/networks")).status).toBe(401);
    const again = await exchange(issuer.token(subject));
    expect([again.status, again.body.errors[0]]).toEqual([401, expect.stringContaining("no active service token")]);
  });

  it("can be revoked by the job, which leaves the service token", async () => {
    const { subject } = await trusting();
    const { api_token, token } = (await exchange(issuer.token(subject))).body;
    expect((await as(api_token).delete(`/tokens/${token.id}`)).status).toBe(204);
    expect((await as(api_token).get("/networks")).status).toBe(401);
    expect((await exchange(issuer.token(subject))).status).toBe(201);
  });

  it("loses what the creator of the service token loses", async () => {
    const maker = await createCaller(api, { accountId: owner.accountId, role: "admin" });
    const scopes = ["read", "write", "admin"];
    const { subject } = await trusting({ by: maker, role: "admin", scopes });
    const job = as((await exchange(issuer.token(subject))).body.api_token);
    expect((await job.get(path)).status).toBe(200);
    const { id } = await db.membership.findFirstOrThrow({ where: { userId: maker.userId } });
    await owner.put(`/memberships/${id}`, { membership: { role: "viewer" } });
    expect((await job.get(path)).status).toBe(403);
    expect((await as((await exchange(issuer.token(subject))).body.api_token).get(path)).status).toBe(403);
    expect((await owner.delete(`/memberships/${id}`)).status).toBe(204);
    expect((await job.get("/networks")).status).toBe(401);
    expect((await exchange(issuer.token(subject))).status).toBe(401);
  });

  it("is not given for a service token that has expired", async () => {
    const { id, subject } = await trusting();
    await db.token.update({ where: { id }, data: { expiresAt: new Date(Date.now() - 1000) } });
    expect((await exchange(issuer.token(subject))).status).toBe(401);
  });

  it("is removed a day after its end", async () => {
    const { id, subject } = await trusting();
    const { userId } = await db.token.findUniqueOrThrow({ where: { id } });
    const ended = { userId, identitySubject: subject, name: "ci", scopes: [], digest: Buffer.from(subject) };
    const expiresAt = new Date(Date.now() - 25 * 3_600_000);
    await db.token.create({ data: { id: "0190c4a2-1111-7111-8111-222222222222", ...ended, expiresAt } });
    expect((await exchange(issuer.token(subject))).status).toBe(201);
    expect(await db.token.count({ where: { userId } })).toBe(2);
  });
});
