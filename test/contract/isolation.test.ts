import { callbackToken, modelOf, type ResourceType, resources } from "@gantry/requests";
import { describe, expect, it } from "@jest/globals";
import { createCaller, REGION, type TestCaller, ZONE } from "../support/api.js";
import { startApiTest } from "../support/api-test.js";
import { type Fixtures, fillAccount } from "../support/fixtures.js";
import { SSH_KEYS } from "../support/ssh-keys.js";
import { bodyOf, fillPath, type Operation, parametersOf, paths } from "./document.js";
import { collectionOf, referencesIn, sampleBody, withValue } from "./inputs.js";

type Method = "get" | "post" | "put" | "patch" | "delete";

interface Endpoint {
  route: string;
  method: Method;
  path: string;
  operation: Operation;
}

const OPERATIONS: Endpoint[] = Object.entries(paths).flatMap(([path, operations]) =>
  Object.entries(operations).map(([method, operation]) => ({
    route: `${method.toUpperCase()} ${path}`,
    method: method as Method,
    path,
    operation,
  })),
);

/** Collections whose records belong to no account. */
const PUBLIC = ["service-plans"];
/** Operations on the caller itself, and one that a server calls with a token of its own: no role forbids them. */
const FOR_EVERYBODY = ["POST /tokens", "DELETE /tokens/{token}", "POST /keypairs", "POST /requests/{request}/callback"];
const FOR_STAFF = ["POST /users"];

const { api, db } = await startApiTest();
/** The account whose rows must stay hidden and unchanged. */
const victim = await fill();
const own = await fill();
const viewer = await createCaller(api, { accountId: own.owner.accountId, role: "viewer" });
const guest = await createCaller(api);
const isVictims = await detector(victim.owner);
const emptyEnvironment = await db.environment.findFirstOrThrow({
  where: { accountId: own.owner.accountId, servers: { none: {} } },
});

/** Values of a body's parameters that no schema tells. */
const others = {
  "address.location": REGION,
  "application.type": "rails4",
  cluster_configuration: { configuration: { type: "solo" } },
  credentials: { role_arn: "arn:aws:iam::123456789012:role/gantry" },
  "database_server.flavor": "db.m4.large",
  "database_server.version": "9.6.3",
  "membership.role": "member",
  email: `${guest.userId}@example.com`,
  flavor: "m3.medium",
  location: ZONE,
  "network.cidr": "10.1.0.0/16",
  "network.location": REGION,
  "provider.type": "aws",
  public_key: SSH_KEYS.ed25519.publicKey,
  "server.role": "app",
  "subnet.cidr": "10.0.200.0/24",
  token: callbackToken(api.env.MASTER_KEY, String(own.fixtures.requests)),
  volume: { location: ZONE, size: 10 },
};
const values = { fixtures: own.fixtures, others };

async function fill() {
  const owner = await createCaller(api);
  return { owner, fixtures: await fillAccount(api, owner, 2) };
}

/** Tells whether an answer holds the URL or the UUID of a row of the account. */
async function detector({ accountId, userId }: TestCaller): Promise<(text: string) => boolean> {
  const marks = [accountId, userId];
  for (const type of Object.keys(resources) as ResourceType[]) {
    // Each model of the catalogue has both columns.
    const rows = await db[modelOf(type) as "server"].findMany({ where: { accountId }, select: { id: true } });
    const { collection } = resources[type];
    marks.push(...rows.map(({ id }) => (typeof id === "number" ? `/${collection}/${id}(?!\\d)` : String(id))));
  }
  const pattern = new RegExp(marks.join("|"));
  return (text) => pattern.test(text);
}

/** A digest of every table; tokens change whenever they are used. */
async function digest(): Promise<unknown> {
  const tables = await db.$queryRaw<{ name: string }[]>`
    SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1`;
  const parts = tables.map(({ name }) => {
    const row = name === "tokens" ? "id::text || coalesce(deleted_at::text, '')" : "t::text";
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
function attemptsAt({ path, operation }: Endpoint, fixtures: Fixtures): Attempt[] {
  const schema = bodyOf(operation);
  const body = schema && (sampleBody(schema, values) as object);
  const ownPath = fillPath(path, fixtures);
  const id = (collection: string) => victim.fixtures[collection];
  const inPath = parametersOf(path).filter(({ collection }) => !PUBLIC.includes(collection));
  const inQuery = (operation.parameters ?? []).flatMap(({ name: written, in: place }) => {
    const name = written.replace("[]", "");
    const collection = name === "requester" ? "users" : collectionOf(name, fixtures);
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
      // A filter by user needs no record: it finds nothing.
      statuses: collection === "users" ? [200, 404] : [404],
    })),
    ...(schema && body ? referencesIn(schema, fixtures) : []).map(([name, collection]) => ({
      name,
      path: ownPath,
      body: withValue(body as object, name, id(collection)),
      statuses: [404],
    })),
  ];
}

function send(caller: TestCaller, method: Method, path: string, body?: object) {
  return method === "get" || method === "delete" ? caller[method](path) : caller[method](path, body);
}

/** The caller's own records for an operation: a boot needs an environment without servers. */
function fixturesFor(path: string): Fixtures {
  return path.endsWith("/boot") ? { ...own.fixtures, environments: emptyEnvironment.id } : own.fixtures;
}

/** Sends an input with ids of the caller's account; a Request is only planned, so that it is in no other's way. */
function sendOwn(caller: TestCaller, { method, path, operation }: Endpoint) {
  const schema = bodyOf(operation);
  const plansOnly = operation.parameters?.some(({ name }) => name === "dry_run") ? "?dry_run=true" : "";
  const filled = `${fillPath(path, fixturesFor(path))}${plansOnly}`;
  return send(caller, method, filled, schema && (sampleBody(schema, values) as object));
}

describe.each(OPERATIONS)("$route", (endpoint) => {
  const { route, method, path } = endpoint;

  it("neither shows nor changes a row of another account, wherever its id is sent", async () => {
    const before = await digest();
    for (const attempt of attemptsAt(endpoint, fixturesFor(path))) {
      const { status, text } = await send(own.owner, method, attempt.path, attempt.body);
      const outcome = { refused: attempt.statuses.includes(status), leaks: isVictims(text) };
      expect([attempt.name, status, outcome]).toEqual([attempt.name, status, { refused: true, leaks: false }]);
    }
    expect(await digest()).toEqual(before);
  });

  if (!FOR_EVERYBODY.includes(route)) {
    it("lets a viewer read and change nothing", async () => {
      const before = await digest();
      expect((await sendOwn(viewer, endpoint)).status).toBe(method === "get" ? 200 : 403);
      expect(await digest()).toEqual(before);
    });
  }

  it("accepts the same input with ids of the caller's own account", async () => {
    const { status, text } = await sendOwn(own.owner, endpoint);
    // 409: the input was read and its records were found, and their state forbids the rest.
    const accepted = FOR_STAFF.includes(route) ? [403] : [200, 201, 204, 409];
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
