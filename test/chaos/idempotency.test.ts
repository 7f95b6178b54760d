import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bootstrap, type FirstKeys } from "@gantry/api";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { type App, startApp } from "../../scripts/processes.js";
import { createProvider, REGION } from "../support/api.js";
import { type FlakyTcpProxy, startFlakyTcpProxy, throughProxy } from "../support/flaky-tcp-proxy.js";
import { cloneDatabase, type TestDatabase, testEnv } from "../support/stack.js";
import { until } from "../support/until.js";

let database: TestDatabase;
let folder: string;
let proxy: FlakyTcpProxy;
let keys: FirstKeys;
let providerId: number;
/** Its connections to the database can be broken. */
let frail: App;
let steady: App;

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
    MASTER_KEY: Buffer.from(env.MASTER_KEY).toString("base64"),
    BASE_URL: "http://gantry.test",
    PORT: "0",
  };
  const frailSettings = { ...settings, DATABASE_URL: throughProxy(proxy, database.url) };
  [frail, steady] = await Promise.all([startApp("api", frailSettings, folder), startApp("api", settings, folder)]);
});

afterAll(async () => {
  await Promise.all([frail?.stop(), steady?.stop()]);
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

/** The networks of that range with their Requests: one each for every time that the input was carried out. */
async function carriedOut(cidr: string): Promise<string[]> {
  const networks = await database.db.network.findMany({ where: { cidr }, select: { id: true } });
  const ids = networks.map(({ id }) => id);
  const requests = await database.db.request.findMany({ where: { resourceId: { in: ids } }, select: { id: true } });
  expect(requests).toHaveLength(networks.length);
  return requests.map(({ id }) => id);
}

const idIn = ({ text }: Answer) => (JSON.parse(text) as { request: { id: string } }).request.id;

it("a hundred inputs with one key, at once and to two processes, are one Request and one answer", async () => {
  const cidr = "10.1.0.0/16";
  const answers = await Promise.all(Array.from({ length: 100 }, (_, i) => post(i % 2 ? frail : steady, "one", cidr)));
  expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
  expect(await carriedOut(cidr)).toEqual([idIn(answers[0] as Answer)]);
  for (const api of [frail, steady]) {
    const other = await post(api, "one", "10.2.0.0/16");
    expect([other.status, JSON.parse(other.text).code]).toEqual([422, "idempotency_key_reused"]);
  }
  expect(await carriedOut("10.2.0.0/16")).toEqual([]);
});

it("an input whose commit was not heard of is answered, when it is repeated, with the Request that it made", async () => {
  const cidr = "10.3.0.0/16";
  proxy.dropRepliesTo(cidr);
  const unheard = post(frail, "unheard", cidr);
  const [made] = await until(async () => {
    const ids = await carriedOut(cidr);
    return ids.length > 0 && ids;
  });
  proxy.disconnect();
  expect((await unheard).status).toBe(503);
  await proxy.restore();
  const repeated = await until(async () => {
    const answer = await post(frail, "unheard", cidr);
    return answer.status !== 503 && answer;
  });
  expect([repeated.status, idIn(repeated)]).toEqual([200, made]);
  expect(await carriedOut(cidr)).toEqual([made]);
});

it("an input whose process was killed between commit and answer is answered by another with the Request that it made", async () => {
  const cidr = "10.4.0.0/16";
  proxy.dropRepliesTo(cidr);
  const unanswered = post(frail, "killed", cidr).catch(() => "no answer");
  const [made] = await until(async () => {
    const ids = await carriedOut(cidr);
    return ids.length > 0 && ids;
  });
  frail.process.kill("SIGKILL");
  expect(await unanswered).toBe("no answer");
  const repeated = await post(steady, "killed", cidr);
  expect([repeated.status, idIn(repeated)]).toEqual([200, made]);
  expect(await carriedOut(cidr)).toEqual([made]);
  expect((await post(steady, "killed", "10.5.0.0/16")).status).toBe(422);
});
