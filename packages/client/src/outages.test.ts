import { type FlakyTcpProxy, startFlakyTcpProxy, throughProxy } from "@gantry/test/support/flaky-tcp-proxy";
import { type LiveGantry, startLiveGantry } from "@gantry/test/support/live";
import { Gantry } from "./index.js";
import type { CallRecord } from "./transport.js";

let live: LiveGantry;
let proxy: FlakyTcpProxy;
let provider: number;
const calls: CallRecord[] = [];
let gantry: Gantry;

beforeAll(async () => {
  live = await startLiveGantry();
  ({ providerId: provider } = await live.addProvider());
  proxy = await startFlakyTcpProxy(new URL(live.url));
  const { token, accountId: account } = live.owner;
  gantry = new Gantry({ baseUrl: throughProxy(proxy, live.url), token, account, onCall: (call) => calls.push(call) });
});
afterAll(async () => {
  proxy.close();
  await live.close();
});

const networkInput = (cidr: string) => ({ provider, network: { cidr, location: "us-east-1", skip_subnets: true } });
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
  const events = await live.api.db.event.findMany({ where: { requestId: handle.id }, orderBy: [{ position: "asc" }] });
  expect(types).toEqual(events.map(({ type }) => type));
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

it("stops waiting when its signal is aborted, with the signal's reason", async () => {
  const handle = await gantry.networks.create(networkInput("10.5.0.0/16"));
  const stop = new AbortController();
  const waiting = handle.done({ signal: stop.signal });
  stop.abort(new Error("enough"));
  await expect(waiting).rejects.toThrow("enough");
  await handle.done();
});
