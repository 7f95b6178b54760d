import { aws } from "@gantry/test/support/account";
import { type FlakyTcpProxy, startFlakyTcpProxy, throughProxy } from "@gantry/test/support/flaky-tcp-proxy";
import { type LiveGantry, startLiveGantry } from "@gantry/test/support/live";
import { until } from "@gantry/test/support/until";
import { Gantry, type GantryEvent } from "./index.js";
import type { CallRecord } from "./transport.js";

let live: LiveGantry;
let proxy: FlakyTcpProxy;
let provider: number;
let accessKeyId: string;
const calls: CallRecord[] = [];
let gantry: Gantry;

beforeAll(async () => {
  live = await startLiveGantry();
  const added = await live.addProvider();
  provider = added.providerId;
  accessKeyId = added.keys.accessKeyId;
  proxy = await startFlakyTcpProxy(new URL(live.url));
  const { token, accountId: account } = live.owner;
  gantry = new Gantry({ baseUrl: throughProxy(proxy, live.url), token, account, onCall: (call) => calls.push(call) });
});
afterAll(async () => {
  proxy.close();
  await live.close();
});

const networkInput = (cidr: string) => ({ provider, network: { cidr, location: "us-east-1", skip_subnets: true } });
const typesOf = async (requestId: string) => {
  const events = await live.api.db.event.findMany({ where: { requestId }, orderBy: [{ position: "asc" }] });
  return events.map(({ type }) => type);
};
const networks = (cidr: string) => live.api.db.network.count({ where: { cidr } });

it("repeats a create whose answer was lost, and creates one network", async () => {
  proxy.dropRepliesTo("10.1.0.0/16");
  const creating = gantry.networks.create(networkInput("10.1.0.0/16"), { timeoutMs: 2000 });
  while ((await networks("10.1.0.0/16")) === 0) await new Promise((resolve) => setTimeout(resolve, 20));
  proxy.disconnect();
  await proxy.restore();
  expect((await creating.done()).cidr).toBe("10.1.0.0/16");
  expect(await networks("10.1.0.0/16")).toBe(1);
  const creates = calls.filter(({ method }) => method === "POST");
  expect(creates.length).toBeGreaterThan(1);
  expect(creates.map(({ status }) => status ?? "lost")).toEqual([...creates.slice(1).map(() => "lost"), 200]);
});

it("goes on waiting while Gantry cannot be reached, and says so", async () => {
  const contacts: boolean[] = [];
  const types: string[] = [];
  const handle = await gantry.networks.create(networkInput("10.2.0.0/16"));
  const done = handle.done({ onContact: ({ lost }) => contacts.push(lost), onEvent: ({ type }) => types.push(type) });
  for (let cut = 0; cut < 5; cut++) {
    proxy.disconnect();
    await new Promise((resolve) => setTimeout(resolve, 100));
    await proxy.restore();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  expect((await done).cidr).toBe("10.2.0.0/16");
  expect(contacts).toContain(true);
  expect(contacts.at(-1)).toBe(false);
  expect(types).toEqual(await typesOf(handle.id));
});

it("ends a call with what is known if Gantry stays away", async () => {
  proxy.disconnect();
  const lost = gantry.networks.create(networkInput("10.3.0.0/16"), { maxRetries: 1 });
  await expect(lost).rejects.toMatchObject({
    name: "ConnectionLost",
    code: "connection_lost",
    message: expect.stringMatching(/^no response from http:\/\/127\.0\.0\.1:\d+\/networks: ECONNREFUSED$/),
    attempts: 2,
    idempotencyKey: expect.any(String),
  });
  await proxy.restore();
});

it("stops waiting after the time it was given, and the work goes on", async () => {
  const handle = await gantry.networks.create(networkInput("10.4.0.0/16"));
  await expect(handle.done({ timeoutMs: 1 })).rejects.toMatchObject({
    name: "WaitTimeout",
    request: { id: handle.id },
  });
  expect((await handle.done()).cidr).toBe("10.4.0.0/16");
});

it("says that Gantry is back if the Request has ended in the meantime, and reads the events that were missed", async () => {
  const contacts: boolean[] = [];
  const types: string[] = [];
  // The end must not arrive together with the first event.
  await aws.delay("CreateVpc", 1000, { accessKeyId });
  const handle = await gantry.networks.create(networkInput("10.6.0.0/16"));
  const done = handle.done({
    onContact: ({ lost }) => contacts.push(lost),
    onEvent: ({ type }) => {
      if (types.push(type) === 1) proxy.disconnect();
    },
  });
  await until(() => live.api.db.request.findFirst({ where: { id: handle.id, finishedAt: { not: null } } }));
  await aws.clear({ accessKeyId });
  await proxy.restore();
  expect((await done).cidr).toBe("10.6.0.0/16");
  expect([contacts[0], contacts.at(-1)]).toEqual([true, false]);
  expect(types).toEqual(await typesOf(handle.id));
});

it("reads all events if no stream can be read before the Request has ended", async () => {
  const isEnded = (id: string) => live.api.db.request.findFirst({ where: { id, finishedAt: { not: null } } });
  const client = new Gantry({
    baseUrl: live.url,
    token: live.owner.token,
    fetch: async (input, init) => {
      if (new Headers(init?.headers).get("Accept") !== "text/event-stream") return fetch(input, init);
      await until(() => isEnded(handle.id));
      throw new TypeError("the proxy passes no streams");
    },
  });
  const handle = await client.networks.create(networkInput("10.8.0.0/16"));
  const types: string[] = [];
  await handle.done({ onEvent: ({ type }) => types.push(type) });
  expect(types).toEqual(await typesOf(handle.id));
});

it("reads the events of a boot's children in their order and each once, over a lost connection", async () => {
  const network = { cidr: "10.7.0.0/16", location: "us-east-1" };
  const { id } = await gantry.networks.create({ provider, network }).done();
  const environment = await gantry.environments.create({ network: id, environment: { name: "shop" } });
  const configuration = { type: "custom" as const, apps: { count: 3 } };
  const boot = await gantry.environments.boot(environment, { cluster_configuration: { configuration } });
  const ids: string[] = [];
  let cut: Promise<void> | undefined;
  await boot.done({
    children: true,
    onEvent: ({ id, subject }) => {
      ids.push(id);
      if (subject.type !== "request" || subject.id === boot.id || cut) return;
      proxy.disconnect();
      cut = proxy.restore();
    },
  });
  expect(cut).toBeDefined();
  await cut;
  const children = await boot.children().toArray({ max: 100 });
  expect(children.length).toBeGreaterThanOrEqual(3);
  const query = { children: true, limit: 1000 };
  const { body } = await gantry.call("GET", `/requests/${boot.id}/events`, { query });
  const { events } = body as { events: GantryEvent[] };
  expect(ids).toEqual(events.map((event) => event.id));
  const subjects = events.filter(({ type }) => type === "request.finished").map(({ subject }) => subject.id);
  expect(subjects).toEqual(expect.arrayContaining([boot.id, ...children.map((child) => child.id)]));
});

it("does not open a stream if its signal is aborted already", async () => {
  const events = gantry.accounts.events(live.owner.accountId, { signal: AbortSignal.abort() });
  expect(await events[Symbol.asyncIterator]().next()).toEqual({ done: true, value: undefined });
});

it("stops waiting when its signal is aborted, with the signal's reason", async () => {
  const handle = await gantry.networks.create(networkInput("10.5.0.0/16"));
  const stop = new AbortController();
  const waiting = handle.done({ signal: stop.signal });
  stop.abort(new Error("enough"));
  await expect(waiting).rejects.toThrow("enough");
  await handle.done();
});
