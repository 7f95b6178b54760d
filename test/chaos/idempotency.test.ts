import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bootstrap, type FirstKeys } from "@gantry/api";
import { type App, startApp } from "../../scripts/processes.js";
import { createProvider, REGION } from "../support/api.js";
import { type FlakyTcpProxy, startFlakyTcpProxy, throughProxy } from "../support/flaky-tcp-proxy.js";
import { cloneDatabase, type TestDatabase, testEnv, testMasterKey } from "../support/stack.js";
import { until } from "../support/until.js";

let database: TestDatabase;
let folder: string;
let proxy: FlakyTcpProxy;
let keys: FirstKeys;
let providerId: number;
/** An API that uses the proxy, and one with a direct connection to the database. */
let proxied: App;
let direct: App;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "gantry-keys-"));
  database = await cloneDatabase();
  const env = testEnv(database);
  keys = (await bootstrap(database.db, env)) as FirstKeys;
  providerId = (await createProvider(database.db, keys.accountId)).id;
  proxy = await startFlakyTcpProxy(new URL(database.url));
  const settings = {
    DATABASE_URL: database.url,
    REDIS_URL: env.REDIS_URL,
    QUEUE_PREFIX: env.QUEUE_PREFIX,
    MASTER_KEY: testMasterKey,
    BASE_URL: "http://gantry.test",
    PORT: "0",
  };
  const proxiedSettings = { ...settings, DATABASE_URL: throughProxy(proxy, database.url) };
  [proxied, direct] = await Promise.all([startApp("api", proxiedSettings, folder), startApp("api", settings, folder)]);
});

afterAll(async () => {
  await Promise.all([proxied?.stop(), direct?.stop()]);
  proxy.close();
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

interface Answer {
  status: number;
  text: string;
}

async function post(api: App, key: string, cidr: string): Promise<Answer> {
  const { listening } = api.ready as { listening: number };
  const answer = await fetch(`http://127.0.0.1:${listening}/networks`, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      Authorization: `Bearer ${keys.token}`,
      "Idempotency-Key": key,
    },
    body: JSON.stringify({ provider: providerId, network: { cidr, location: REGION } }),
  });
  return { status: answer.status, text: await answer.text() };
}

/** The Requests of the networks in a range: one for every execution of the input. */
async function executions(cidr: string): Promise<string[]> {
  const networks = await database.db.network.findMany({ where: { cidr }, select: { id: true } });
  const ids = networks.map(({ id }) => id);
  const requests = await database.db.request.findMany({ where: { resourceId: { in: ids } }, select: { id: true } });
  expect(requests).toHaveLength(networks.length);
  return requests.map(({ id }) => id);
}

const idIn = ({ text }: Answer) => (JSON.parse(text) as { request: { id: string } }).request.id;

it("creates one Request with one response for a hundred concurrent inputs with one key to two processes", async () => {
  const cidr = "10.1.0.0/16";
  const answers = await Promise.all(Array.from({ length: 100 }, (_, i) => post(i % 2 ? proxied : direct, "one", cidr)));
  expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
  expect(await executions(cidr)).toEqual([idIn(answers[0] as Answer)]);
  for (const api of [proxied, direct]) {
    const other = await post(api, "one", "10.2.0.0/16");
    expect([other.status, JSON.parse(other.text).code]).toEqual([422, "idempotency_key_reused"]);
  }
  expect(await executions("10.2.0.0/16")).toEqual([]);
});

it("answers the repetition of an input whose commit got no reply with the Request of that commit", async () => {
  const cidr = "10.3.0.0/16";
  proxy.dropRepliesTo(cidr);
  const unanswered = post(proxied, "no-reply", cidr);
  const [created] = await until(async () => {
    const ids = await executions(cidr);
    return ids.length > 0 && ids;
  });
  proxy.disconnect();
  expect((await unanswered).status).toBe(503);
  await proxy.restore();
  const repeated = await until(async () => {
    const answer = await post(proxied, "no-reply", cidr);
    return answer.status !== 503 && answer;
  });
  expect([repeated.status, idIn(repeated)]).toEqual([200, created]);
  expect(await executions(cidr)).toEqual([created]);
});

it("lets another process answer an input whose process was killed between commit and answer", async () => {
  const cidr = "10.4.0.0/16";
  proxy.dropRepliesTo(cidr);
  const unanswered = post(proxied, "killed", cidr).catch(() => "no answer");
  const [created] = await until(async () => {
    const ids = await executions(cidr);
    return ids.length > 0 && ids;
  });
  proxied.process.kill("SIGKILL");
  expect(await unanswered).toBe("no answer");
  const repeated = await post(direct, "killed", cidr);
  expect([repeated.status, idIn(repeated)]).toEqual([200, created]);
  expect(await executions(cidr)).toEqual([created]);
  expect((await post(direct, "killed", "10.5.0.0/16")).status).toBe(422);
});
