import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bootstrap, type FirstKeys } from "@gantry/api";
import type { AwsAccount } from "@gantry/local-stack";
import { callbackToken } from "@gantry/requests";
import { type App, startApp } from "../../scripts/processes.js";
import { aws, createAwsAccount, REGION } from "../support/account.js";
import { createCaller } from "../support/api.js";
import { openEventStream } from "../support/event-stream.js";
import { fillAccount } from "../support/fixtures.js";
import { type OtlpReceiver, startOtlpReceiver } from "../support/otlp-receiver.js";
import { type Receiver, startReceiver } from "../support/receiver.js";
import { awsEndpoint, cloneDatabase, type TestDatabase, testEnv, testKeys, testMasterKey } from "../support/stack.js";
import { until } from "../support/until.js";
import { awsText, holds, type Places, redisText, tables } from "./canary-places.js";
import { writeOnlyTexts } from "./write-only-texts.js";

type Json = Record<string, unknown>;

/** A secret, and the places where it belongs. */
interface Canary {
  text: string;
  belongsIn?: string[];
}

/** Not a secret: a name that shows that the search sees each place. */
const MARK = "visible-canary-7f3a";

let database: TestDatabase;
let folder: string;
let apps: App[] = [];
let url: string;
let keys: FirstKeys;
let account: AwsAccount;
let token: string;
const canaries = new Map<string, Canary>();
const answers: string[] = [];
let receiver: Receiver;
let collector: OtlpReceiver;
let places: Places;

/** Calls the API, and keeps the answer unless it is the one that shows a secret to who may read it. */
async function call(
  method: string,
  path: string,
  body?: object,
  { showsSecret = false, as = token }: { showsSecret?: boolean; as?: string | undefined } = {},
): Promise<Json> {
  const headers = {
    "content-type": "application/json",
    "gantry-reason": "a test",
    ...(as && { authorization: `Bearer ${as}` }),
  };
  const answer = await fetch(new URL(path, url), { method, headers, ...(body && { body: JSON.stringify(body) }) });
  const text = await answer.text();
  if (!showsSecret) answers.push(`${method} ${path} ${answer.status} ${JSON.stringify([...answer.headers])} ${text}`);
  const isJson = answer.headers.get("content-type")?.startsWith("application/json");
  return { status: answer.status, ...(isJson && text ? JSON.parse(text) : {}) };
}

/** Sends an input and waits until its Request has ended, well or not. */
async function ended(method: string, path: string, body: object = {}): Promise<Json> {
  const { request, ...rest } = await call(method, path, body);
  if (!request) throw new Error(`${method} ${path} answered ${JSON.stringify(rest)}`);
  const { id } = request as { id: string };
  return until(async () => {
    const now = (await call("GET", `/requests/${id}?wait=10`)).request as Json;
    return now.finished_at ? now : undefined;
  });
}

/** As `ended`, again until it succeeds: with faults on, a Request may fail. */
async function done(method: string, path: string, body: object = {}): Promise<string> {
  let request = await ended(method, path, body);
  while (!request.successful) request = await ended("POST", `/requests/${request.id}/retry`);
  return new URL(String(request.resource)).pathname;
}

const plant = (name: string, text: unknown, belongsIn: string[] = []) => {
  expect([name, typeof text, String(text).length > 7]).toEqual([name, "string", true]);
  canaries.set(name, { text: text as string, belongsIn });
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "gantry-canaries-"));
  database = await cloneDatabase();
  const env = testEnv(database);
  keys = (await bootstrap(database.db, env)) as FirstKeys;
  collector = await startOtlpReceiver();
  const settings = {
    DATABASE_URL: env.DATABASE_URL,
    REDIS_URL: env.REDIS_URL,
    QUEUE_PREFIX: env.QUEUE_PREFIX,
    MASTER_KEY: testMasterKey,
    AWS_ENDPOINT_URL: awsEndpoint,
    AWS_VISIBILITY_SECONDS: "0",
    AWS_RATE_SHARE: "1000",
    RATE_LIMIT_PER_MINUTE: "100000",
    LOG_LEVEL: "trace",
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    PORT: "0",
    METRICS_PORT: "0",
    WEBHOOK_PRIVATE_ADDRESSES: "127.0.0.0/8",
  };
  const api = await startApp("api", settings, folder);
  apps = [api];
  url = `http://127.0.0.1:${(api.ready as { listening: number }).listening}`;
  apps.push(await startApp("worker", { ...settings, BASE_URL: url }, folder));
  plant("master key", testMasterKey, ["environment of api", "environment of worker"]);
  for (const [name, address] of Object.entries({ database: env.DATABASE_URL, Redis: env.REDIS_URL })) {
    const { password } = new URL(address);
    // The emulated installation may have no password there; its stack has its own tests.
    if (password.length > 7) plant(`password of ${name}`, password, ["environment of api", "environment of worker"]);
  }
  plant("first password", keys.password);
  await people();
  receiver = await startReceiver();
  const hooked = { webhook: { url: `${receiver.url}/path-canary-81ba` } };
  plant("path of a webhook", "path-canary-81ba", ["table webhooks"]);
  const webhook = await call("POST", `/accounts/${keys.accountId}/webhooks`, hooked, { showsSecret: true });
  plant("secret of a webhook", webhook.secret);
  account = await createAwsAccount();
  await aws.fault({
    action: "*",
    accountId: account.accountId,
    kind: "error",
    code: "InternalError",
    probability: 0.03,
  });
  await aws.fault({ action: "*", accountId: account.accountId, kind: "reset", probability: 0.03, seed: 2 });
  await cloud();
  await everyWriteOnlyText();
  await aws.clear({ accountId: account.accountId });
  places = { ...(await collect()), ...(await recordedEvents()) };
});

afterAll(async () => {
  await Promise.all(apps.map((app) => app.stop()));
  await receiver?.close();
  await collector?.close();
  await database?.drop();
  await rm(folder, { recursive: true, force: true });
});

/** Signs in, rightly and wrongly, changes the password and makes tokens. */
async function people(): Promise<void> {
  const { email, password } = keys;
  plant("guessed password", "guess-canary-19c2");
  await call("POST", "/tokens", { email, password: "guess-canary-19c2" });
  await call("POST", "/tokens", { email, password, unknown: "x" });
  const scopes = ["read", "write", "secrets:read", "admin"];
  const signedIn = await call(
    "POST",
    "/tokens",
    { email, password, token: { name: "all", scopes } },
    { showsSecret: true },
  );
  token = signedIn.api_token as string;
  plant("token", token);
  plant("new password", "password-canary-55d0");
  const changed = { current_password: password, password: "password-canary-55d0" };
  expect((await call("PUT", "/users/current/password", changed)).status).toBe(204);
  await call("PUT", "/users/current/password", { ...changed, more: "unknown" });
  const service = { service_token: { name: MARK, role: "member" } };
  const made = await call("POST", `/accounts/${keys.accountId}/service-tokens`, service, { showsSecret: true });
  plant("service token", made.api_token);
}

/** Makes a provider, a server, a scaling group and a database while AWS fails, and inputs with secrets that are refused. */
async function cloud(): Promise<void> {
  const { accessKeyId: access_key_id, secretAccessKey: secret_access_key } = account;
  plant("provider's secret", secret_access_key);
  const credentials = { access_key_id, secret_access_key };
  const path = `/accounts/${keys.accountId}/providers`;
  await call("POST", path, { provider: { type: "aws", credentials: { ...credentials, region: "unknown" } } });
  await call("POST", path, { provider: { type: secret_access_key.slice(0, 3), credentials } });
  plant("provider's wrong secret", "wrong-secret-canary-0b7e4c21");
  const wrong = { access_key_id: "AKIAIOSFODNN7CANARY", secret_access_key: "wrong-secret-canary-0b7e4c21" };
  await aws.refuse("*", { code: "InvalidClientTokenId", status: 403, accessKeyId: wrong.access_key_id });
  expect(await ended("POST", path, { provider: { type: "aws", credentials: wrong } })).toMatchObject({
    successful: false,
  });
  const provider = Number((await done("POST", path, { provider: { type: "aws", credentials } })).split("/").at(-1));
  const body = { provider, environment: { name: MARK, region: REGION } };
  const environments = `/accounts/${keys.accountId}/environments`;
  const environment = await call("POST", environments, body, { showsSecret: true });
  const { id } = (environment.environment ?? {}) as { id?: number };
  expect([environment.status, typeof id]).toEqual([201, "number"]);
  const boot = { cluster_configuration: { configuration: { type: "solo" } } };
  const database_server = { engine: "postgres", version: "16", flavor: "db.t4g.micro", location: `${REGION}a` };
  const service = { provider, database_service: { name: MARK }, database_server };
  const [, databasePath] = await Promise.all([
    done("POST", `/environments/${id}/boot`, boot),
    done("POST", "/database-services", service),
  ]);
  const sizes = { minimum_size: 1, maximum_size: 2 };
  await done("POST", "/auto_scaling_groups", { environment: id, auto_scaling_group: sizes });
  const shown = await call("GET", databasePath, undefined, { showsSecret: true });
  plant("database password", (shown.database_service as Json).password);
  while (!(await ended("POST", `${databasePath}/rotate-credentials`)).successful);
  const rotated = await call("GET", databasePath, undefined, { showsSecret: true });
  plant("rotated database password", (rotated.database_service as Json).password);
  const owner = await call("GET", `/environments/${id}`, undefined, { showsSecret: true });
  const privateKey = (owner.environment as Json).internal_private_key as string;
  // The private half is at the end.
  plant("environment's private key", privateKey.trim().split("\n").at(-2));
  const [provision] = await database.db.request.findMany({ where: { type: "provision_server" } });
  plant("callback token", callbackToken(testKeys.callbacks, provision?.id ?? ""), ["user data"]);
  const lists = [
    "requests",
    "environments",
    "servers",
    "database-services",
    "database-servers",
    "providers",
    "tokens",
    "users",
  ];
  for (const list of lists) await call("GET", `/${list}?per_page=100`);
  for (const part of ["audit", "audit/export", "requests", "providers"])
    await call("GET", `/accounts/${keys.accountId}/${part}`);
  const requests = await database.db.request.findMany({ select: { id: true } });
  for (const { id: request } of requests)
    for (const part of ["", "/messages", "/stages"]) await call("GET", `/requests/${request}${part}`);
}

/** Sends a secret in every write-only text of every operation, in calls that are accepted, refused and wrong. */
async function everyWriteOnlyText(): Promise<void> {
  const { db } = database;
  const someone = await createCaller({ app: url, db });
  const staff = await createCaller({ app: url, db }, { staff: true, reason: "a test" });
  const fixtures = { ...(await fillAccount({ db }, someone, 1)), users: someone.userId };
  const neverAccepted = new Set<string>();
  for (const { operation, method, path, bodies } of writeOnlyTexts(fixtures)) {
    for (const [index, { place, secret, body }] of bodies.entries()) {
      plant(`${place} of ${operation}, ${index}`, secret);
      const statuses: number[] = [];
      for (const as of [staff.token, someone.token, token, undefined])
        for (const sent of [{ ...body, surplus: 1 }, body])
          statuses.push((await call(method, path, sent, { as })).status as number);
      // A provider has one change of its credentials at a time.
      const changes = { type: "replace_provider_credentials", finishedAt: null } as const;
      await db.request.updateMany({ where: changes, data: { finishedAt: new Date(), successful: false } });
      if (!statuses.some((status) => status < 300)) neverAccepted.add(`${operation} ${place}`);
    }
  }
  // Each of these accepts only the one value that is right.
  expect([...neverAccepted].sort()).toEqual([
    "changePassword current_password",
    "changePassword password",
    "createSession api_token",
    "createSession code",
    "createSession password",
    "createSignInToken code",
    "createSignInToken code_verifier",
    "exchangeIdentityToken identity_token",
    "reportAuthorizedKeys token",
    "reportFileSystems token",
    "reportToRequest token",
  ]);
}

/** Everything that the installation has written, shown or sent, by place. */
async function collect(): Promise<Places> {
  const found: Places = {
    answers: answers.join("\n"),
    Redis: await redisText(testEnv(database)),
    ...(await tables(database.db)),
    ...(await awsText(account)),
    traces: collector.text(),
    metrics: await metricsText(),
  };
  for (const { name, process } of apps)
    found[`environment of ${name}`] = (await readFile(`/proc/${process.pid}/environ`)).toString("latin1");
  for (const file of await readdir(folder, { recursive: true, withFileTypes: true }))
    if (file.isFile())
      found[`file ${file.name}`] = (await readFile(join(file.parentPath, file.name))).toString("latin1");
  return found;
}

async function metricsText(): Promise<string> {
  const texts = apps.map(async ({ name }) => {
    const lines = (await readFile(join(folder, `${name}.log`), "utf8")).split("\n");
    const { port } = JSON.parse(lines.find((line) => line.includes('"metrics listening"')) ?? "{}");
    return (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  });
  return (await Promise.all(texts)).join("\n");
}

/** What the account's stream of events and its webhook say, up to the events of now. */
async function recordedEvents(): Promise<Places> {
  const path = `/accounts/${keys.accountId}/events`;
  let page: Json & { events?: { id: string }[] } = { next: "" };
  let last = "";
  do {
    page = await call("GET", `${path}?limit=1000${page.next ? `&after=${page.next}` : ""}`);
    last = page.events?.at(-1)?.id ?? last;
  } while (page.events?.length);
  const stream = await openEventStream(`${url}${path}`, token);
  const streamed: unknown[] = [];
  for await (const event of stream.events) {
    streamed.push(event);
    if (event.id === last) break;
  }
  stream.cut();
  await until(async () => receiver.received.some(({ body }) => body.includes(`"${last}"`)));
  return { "event stream": JSON.stringify(streamed), deliveries: JSON.stringify(receiver.received) };
}

describe("secrets that were planted, with AWS faults on and logs at trace level,", () => {
  it("are only where they belong: in no log, file, table, response, event, delivery, audit, trace, tag, user data, environment or Redis key", () => {
    expect([...canaries.keys()].sort()).toEqual(
      expect.arrayContaining(["callback token", "database password", "rotated database password", "token"]),
    );
    const leaks: [string, string][] = [];
    for (const [name, { text, belongsIn = [] }] of canaries)
      for (const [place, content] of Object.entries(places))
        if (!belongsIn.includes(place) && holds(content, text)) leaks.push([name, place]);
    expect(leaks).toEqual([]);
  });

  it("are searched for in each place: a value that is not secret is found there", async () => {
    const requests = await database.db.request.findMany({ where: { type: "provision_server" } });
    const request = requests[0]?.id ?? "";
    for (const place of [
      "answers",
      "table environments",
      "table audit_records",
      "table requests",
      "tags",
      "user data",
      "event stream",
      "deliveries",
    ])
      expect([place, holds(places[place] ?? "", place === "table requests" ? request : MARK)]).toEqual([place, true]);
    expect(holds(places["launch templates"] ?? "", MARK)).toBe(true);
    for (const place of ["file api.log", "file worker.log", "Redis", "traces"])
      expect([
        place,
        requests.some(({ id, traceId }) => [id, traceId].some((text) => holds(places[place] ?? "", text))),
      ]).toEqual([place, true]);
    for (const place of ["environment of api", "environment of worker"])
      expect(holds(places[place] ?? "", testMasterKey)).toBe(true);
    expect(places.metrics).toContain("gantry_http_request_duration_seconds");
    for (const service of ["gantry-api", "gantry-worker"]) expect(holds(places.traces ?? "", service)).toBe(true);
    expect(holds(places["user data"] ?? "", canaries.get("callback token")?.text ?? "")).toBe(true);
    expect(holds(`x${Buffer.from("abc password-canary-55d0").toString("base64")}`, "password-canary-55d0")).toBe(true);
  });
});
