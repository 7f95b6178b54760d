import { randomUUID } from "node:crypto";
import { callbackToken } from "@gantry/requests";
import { collectionOf, modelOf, type ResourceType, resources } from "@gantry/resources";
import supertest from "supertest";
import { type CallerOptions, createCaller, createSignIn, type TestCaller } from "../support/api.js";
import { startApiTest } from "../support/api-test.js";
import { type Fixtures, fillAccount } from "../support/fixtures.js";
import { startPipelineIssuer, trustPipeline } from "../support/pipeline-issuer.js";
import { sample } from "../support/sample.js";
import { testKeys } from "../support/stack.js";
import { accessOf, bodyOf, fillPath, type Operation, parametersOf, paths } from "./document.js";
import { collectionNamed, OTHERS, referencesIn, sampleBody, withValue } from "./inputs.js";

type Method = "get" | "post" | "put" | "patch" | "delete";

interface Endpoint {
  route: string;
  method: Method;
  path: string;
  operation: Operation;
}

const ALL: Endpoint[] = Object.entries(paths).flatMap(([path, operations]) =>
  Object.entries(operations).map(([method, operation]) => ({
    route: `${method.toUpperCase()} ${path}`,
    method: method as Method,
    path,
    operation,
  })),
);
/** The removals come last: the others need the records, and a caller with one account. */
const isLate = ({ method, route }: Endpoint) => method === "delete" || route === "POST /accounts";
const OPERATIONS = [...ALL.filter((each) => !isLate(each)), ...ALL.filter(isLate)];

/** Collections whose records belong to no account. */
const PUBLIC = ["service-plans"];
/** An owner that is ended could do nothing afterwards: the tests of users end some. */
const ENDS_THE_CALLER = "DELETE /users/{user}";
/** It creates in the caller's only account, and staff has none. */
const IN_ONLY_ACCOUNT = "POST /applications";
const INVITATIONS = "/users/current/invitations";

const issuer = await startPipelineIssuer();
afterAll(() => issuer.close());
const settings = { ANONYMOUS_RATE_LIMIT_PER_MINUTE: "100000", TRUSTED_ISSUERS: issuer.url };
const { api, db } = await startApiTest({ settings });
/** The account whose rows must stay hidden and unchanged. */
const victim = await fill();
// An act whose record is pending, so that a read of the victim's audit would link it.
await victim.owner.put(`/accounts/${victim.owner.accountId}`, { account: { emergency_contact: "nobody" } });
const own = await fill();
/** The token of a pipeline that one service token trusts. */
const identityToken = await trustPipeline(db, issuer, String(own.fixtures["service-tokens"]));
const guest = await createCaller(api);
const isVictims = await detector(victim.owner);
const CALLERS = await callers();
/** A person who owns two accounts, with a token for one of them, and a service of that account. */
const narrow = await fill();
const NARROW = { "a limited token": await limitedCaller(false), "a service": await limitedCaller(true) };

const others = { ...OTHERS, email: `${guest.userId}@example.com` };

async function fill() {
  const owner = await createCaller(api);
  const fixtures = await fillAccount(api, owner, 2);
  const { id: emptyEnvironment } = await db.environment.findFirstOrThrow({
    where: { accountId: owner.accountId, servers: { none: {} } },
  });
  // An owner that changes its own role could do nothing afterwards.
  const { userId } = await createCaller(api, { accountId: owner.accountId, role: "member" });
  const { id: memberships } = await db.membership.findFirstOrThrow({ where: { userId } });
  return { owner, fixtures: { ...fixtures, memberships } as Fixtures, emptyEnvironment };
}

/** A kind of caller: an account with records, and whom it lets read, write and administer there. */
interface CallerKind {
  account: typeof own;
  caller: Pick<TestCaller, Method>;
  may: { read?: boolean; write?: boolean; admin?: boolean; staff?: boolean };
  /** The status of what it may not do. */
  refusal: number;
}

async function callers(): Promise<Record<string, CallerKind>> {
  const inOwn = (options: CallerOptions) => createCaller(api, { accountId: own.owner.accountId, ...options });
  // Each of the kinds that may change something has its own account.
  const inNew = async (options: CallerOptions) => {
    const account = await fill();
    return {
      account,
      caller: await createCaller(api, { accountId: account.owner.accountId, ...options }),
      refusal: 403,
    };
  };
  const revoked = await inOwn({});
  await db.token.updateMany({ where: { userId: revoked.userId }, data: { deletedAt: new Date() } });
  const unsigned = (method: Method) => (path: string, body?: object) => supertest(api.app)[method](path).send(body);
  const [get, post, put, patch] = (["get", "post", "put", "patch"] as const).map(unsigned);
  const refused = { account: own, may: {} };
  return {
    nobody: { ...refused, caller: { get, post, put, patch, delete: unsigned("delete") } as never, refusal: 401 },
    "an expired token": { ...refused, caller: await inOwn({ expiresAt: new Date(0) }), refusal: 401 },
    "a revoked token": { ...refused, caller: revoked, refusal: 401 },
    "a viewer": { ...refused, caller: await inOwn({ role: "viewer" }), may: { read: true }, refusal: 403 },
    "staff without a reason": {
      ...refused,
      caller: await createCaller(api, { staff: true }),
      may: { read: true, staff: true },
      refusal: 403,
    },
    "a token for secrets alone": { ...refused, caller: await inOwn({ scopes: ["secrets_read"] }), refusal: 403 },
    "a token to read alone": {
      ...refused,
      caller: await inOwn({ scopes: ["read"] }),
      may: { read: true },
      refusal: 403,
    },
    "a token to write alone": { ...(await inNew({ scopes: ["write"] })), may: { write: true } },
    "a token to administer alone": { ...(await inNew({ scopes: ["admin"] })), may: { admin: true } },
    "a member": { ...(await inNew({ role: "member" })), may: { read: true, write: true } },
    "an administrator": { ...(await inNew({ role: "admin" })), may: { read: true, write: true, admin: true } },
    staff: {
      ...(await inNew({ staff: true, reason: "a test" })),
      may: { read: true, write: true, admin: true, staff: true },
    },
  };
}

async function limitedCaller(service: boolean): Promise<TestCaller> {
  const { accountId } = narrow.owner;
  const caller = await createCaller(api, { accountId });
  const { userId } = caller;
  await db.user.update({ where: { id: userId }, data: { service } });
  await db.token.updateMany({ where: { userId }, data: { accountIds: [accountId] } });
  if (!service)
    await db.membership.create({
      data: { id: randomUUID(), accountId: victim.owner.accountId, userId, role: "owner" },
    });
  return caller;
}

/** What belongs to a user as a person, and reaches beyond one account. */
async function personalRows({ userId }: Pick<TestCaller, "userId">, accountId: string): Promise<unknown> {
  return Promise.all([
    db.user.findUnique({ where: { id: userId } }),
    db.keypair.findMany({ where: { userId }, orderBy: { id: "asc" } }),
    db.membership.findMany({
      where: { userId, ...(accountId && { accountId: { not: accountId } }) },
      orderBy: { id: "asc" },
    }),
    db.token.count({ where: { userId, accountIds: { isEmpty: true } } }),
  ]);
}

/** Returns whether an answer holds the URL or the UUID of a row of the account. */
async function detector({ accountId, userId }: TestCaller): Promise<(text: string) => boolean> {
  const marks = [accountId, userId];
  for (const type of Object.keys(resources) as ResourceType[]) {
    if (type === "account") continue;
    // Each other model of the catalogue has both columns.
    const rows = await db[modelOf(type) as "server"].findMany({ where: { accountId }, select: { id: true } });
    const collection = collectionOf(type);
    marks.push(...rows.map(({ id }) => (typeof id === "number" ? `/${collection}/${id}(?!\\d)` : String(id))));
  }
  const pattern = new RegExp(marks.join("|"));
  return (text) => pattern.test(text);
}

/**
 * A digest of every table but the audit's records, which hold refused acts too. Tokens change whenever they are used, and
 * chains of other accounts grow when these are read.
 */
async function digest(): Promise<unknown> {
  const tables = await db.$queryRaw<{ name: string }[]>`
    SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename NOT LIKE '%audit_records' ORDER BY 1`;
  const rows: Record<string, string> = {
    tokens: "id::text || coalesce(deleted_at::text, '')",
    unreported_audit_heads: `CASE WHEN chain = '${victim.owner.accountId}' THEN t::text END`,
  };
  const parts = tables.map(({ name }) => {
    const row = rows[name] ?? "t::text";
    return `SELECT '${name}' AS name, md5(string_agg(${row}, '' ORDER BY ${row})) AS digest FROM "${name}" AS t`;
  });
  return db.$queryRawUnsafe(parts.join(" UNION ALL "));
}

interface Attempt {
  name: string;
  path: string;
  body: object | undefined;
  statuses: number[];
}

/** The operation's input with one id of the victim's in each place that names a record: path, query and body. */
async function attemptsAt(endpoint: Endpoint, fixtures: Fixtures, account = own): Promise<Attempt[]> {
  const { path, operation } = endpoint;
  const schema = bodyOf(operation);
  const body = await inputOf(account, operation);
  const ownPath = fillPath(path, fixtures);
  const id = (collection: string) => victim.fixtures[collection];
  const inPath = parametersOf(path).filter(({ collection }) => !PUBLIC.includes(collection));
  const inQuery = (operation.parameters ?? []).flatMap(({ name: written, in: place }) => {
    const name = written.replace("[]", "");
    const collection = name === "requester" ? "users" : collectionNamed(name, fixtures);
    return place === "query" && collection ? [{ name, collection }] : [];
  });
  return [
    ...inPath.map(({ name, collection }) => ({
      name,
      path: fillPath(path, { ...fixtures, [collection]: id(collection) as string }),
      body,
      statuses: [404],
    })),
    ...inQuery.map(({ name, collection }) => ({
      name,
      path: `${ownPath}?${name}=${id(collection)}`,
      body,
      // A filter by user or token needs no record: it finds nothing. Nor does one by the account of an invitation, which
      // the invited cannot see yet.
      statuses: ["users", "tokens"].includes(collection) || path === INVITATIONS ? [200, 404] : [404],
    })),
    ...(schema && body ? referencesIn(schema, fixtures) : []).map(([name, collection]) => ({
      name,
      path: ownPath,
      body: withValue(body as object, name, id(collection)),
      statuses: [404],
    })),
  ];
}

function send(caller: Pick<TestCaller, Method>, method: Method, path: string, body?: object) {
  return method === "get" || method === "delete" ? caller[method](path) : caller[method](path, body);
}

/** The account's records for an operation: a boot needs an environment without servers. */
function fixturesFor(path: string, { fixtures, emptyEnvironment }: typeof own): Fixtures {
  return path.endsWith("/boot") ? { ...fixtures, environments: emptyEnvironment } : fixtures;
}

function valuesOf({ fixtures, owner }: typeof own) {
  const token = callbackToken(testKeys.callbacks, String(fixtures.requests));
  // No second user may have the e-mail of the first.
  return {
    fixtures,
    others: {
      ...others,
      token,
      identity_token: identityToken,
      api_token: owner.token,
      "user.email": `${randomUUID()}@example.com`,
    },
  };
}

async function inputOf(account: typeof own, operation: Operation): Promise<object | undefined> {
  const schema = bodyOf(operation);
  if (!schema) return;
  const { fixtures, others } = valuesOf(account);
  // A sign-in's code is valid once.
  const signIn = schema.properties?.code_verifier && (await createSignIn(db, account.owner.userId));
  return sampleBody(schema, { fixtures, others: { ...others, ...signIn } }) as object;
}

/** Sends an input with ids of an account; a Request is only planned, so that it is in no other's way. */
async function sendIn(account: typeof own, caller: Pick<TestCaller, Method>, { method, path, operation }: Endpoint) {
  const plansOnly = operation.parameters?.some(({ name }) => name === "dry_run") ? "?dry_run=true" : "";
  const filled = `${fillPath(path, fixturesFor(path, account))}${plansOnly}`;
  return send(caller, method, filled, await inputOf(account, operation));
}

function isAllowed({ may }: CallerKind, { path, method, operation }: Endpoint): boolean {
  const { level, also_scope: alsoScope, staff } = accessOf(path, method);
  if (alsoScope && !may[alsoScope]) return false;
  // Staff states its reason for an act in an account or on a user.
  const namesOther = /\{(account|user)\}/.test(path) || bodyOf(operation)?.properties?.account !== undefined;
  if (staff) return Boolean(may.staff && (may.admin || !namesOther));
  // The records of the fixtures are others' own: only administrators act on them.
  if (level === "admin" || level === "own") return Boolean(may.admin);
  return Boolean(level === "read" ? may.read : may.write);
}

/** Returns whether the account's roles decide for the kind of caller: they do not for the caller itself. */
function isDecided({ may, refusal }: CallerKind, { route, path, method }: Endpoint): boolean {
  if (route === IN_ONLY_ACCOUNT) return !may.staff;
  return !accessOf(path, method).self || refusal === 401;
}

describe.each(sample(OPERATIONS, 60, "isolation"))("$route", (endpoint) => {
  const { route, method, path } = endpoint;
  const { level, self, staff } = accessOf(path, method);

  it("neither shows nor changes a row of another account, wherever its id is sent", async () => {
    const attempts = await attemptsAt(endpoint, fixturesFor(path, own));
    const before = await digest();
    for (const attempt of attempts) {
      const { status, text } = await send(own.owner, method, attempt.path, attempt.body);
      const statuses = staff ? [403, 404] : attempt.statuses;
      const outcome = { refused: statuses.includes(status), leaks: isVictims(text) };
      expect([attempt.name, status, outcome]).toEqual([attempt.name, status, { refused: true, leaks: false }]);
    }
    expect(await digest()).toEqual(before);
  });

  if (level !== "anyone") {
    it("refuses each caller without the token, the scope or the role for it, and changes nothing", async () => {
      const before = await digest();
      for (const [kind, entry] of Object.entries(CALLERS)) {
        if (isAllowed(entry, endpoint) || !isDecided(entry, endpoint)) continue;
        expect([kind, (await sendIn(entry.account, entry.caller, endpoint)).status]).toEqual([kind, entry.refusal]);
      }
      expect(await digest()).toEqual(before);
    });

    it("accepts each caller with the token, the scope and the role for it", async () => {
      for (const [kind, entry] of Object.entries(CALLERS)) {
        if (self || !isAllowed(entry, endpoint) || !isDecided(entry, endpoint)) continue;
        const { status } = await sendIn(entry.account, entry.caller, endpoint);
        // 409: the input was read and its records were found, and their state forbids the rest.
        expect([kind, status, [200, 201, 204, 409].includes(status)]).toEqual([kind, status, true]);
      }
    });
  }

  if (method !== "get" && self) {
    it("lets staff change nothing that belongs to another user without a reason", async () => {
      const before = await personalRows(victim.owner, "");
      const entry = CALLERS["staff without a reason"] as CallerKind;
      const { status } = await sendIn(victim, entry.caller, endpoint);
      expect([status >= 500, await personalRows(victim.owner, "")]).toEqual([false, before]);
    });
  }

  it("lets a token that is limited to an account neither act as a person nor reach another account", async () => {
    for (const [kind, caller] of Object.entries(NARROW)) {
      const before = await personalRows(caller, narrow.owner.accountId);
      const whole = self === "person" ? await digest() : undefined;
      const { status, text } = await sendIn(narrow, caller, endpoint);
      expect([kind, isVictims(text)]).toEqual([kind, false]);
      expect(await personalRows(caller, narrow.owner.accountId)).toEqual(before);
      if (self !== "person") continue;
      expect([kind, status, text]).toEqual([
        kind,
        403,
        expect.stringMatching(/limited to certain accounts|a service token belongs/),
      ]);
      expect(await digest()).toEqual(whole);
    }
    for (const attempt of await attemptsAt(endpoint, fixturesFor(path, narrow), narrow)) {
      const { status, text } = await send(NARROW["a limited token"], method, attempt.path, attempt.body);
      expect([attempt.name, status < 300 && method !== "get", isVictims(text)]).toEqual([attempt.name, false, false]);
    }
  });

  if (route === ENDS_THE_CALLER) return;

  it("accepts the same input with ids of the caller's own account", async () => {
    const { status, text } = await sendIn(own, own.owner, endpoint);
    const others = self ? [403, 404] : [];
    const accepted = staff ? [403] : [200, 201, 204, 409, ...others];
    expect([status, accepted.includes(status), isVictims(text)]).toEqual([status, true, false]);
  });
});

it("recognizes the account's rows where they are shown", async () => {
  const shown = [];
  for (const { method, path } of OPERATIONS) {
    if (method !== "get") continue;
    const { text } = await victim.owner.get(fillPath(path, victim.fixtures));
    if (isVictims(text)) shown.push(path);
  }
  expect(shown.length).toBeGreaterThan(80);
});
