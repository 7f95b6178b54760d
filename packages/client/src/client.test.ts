import { createAwsAccount } from "@gantry/test/support/account";
import { type LiveGantry, startLiveGantry } from "@gantry/test/support/live";
import { until } from "@gantry/test/support/until";
import { Conflict, Gantry, Invalid, NotFound, RequestCancelled, Unauthorized } from "./index.js";

let live: LiveGantry;
let gantry: Gantry;
let provider: number;

beforeAll(async () => {
  live = await startLiveGantry();
  gantry = new Gantry({ baseUrl: live.url, token: live.owner.token, account: live.owner.accountId });
  const keys = await createAwsAccount();
  const credentials = { access_key_id: keys.accessKeyId, secret_access_key: keys.secretAccessKey };
  provider = (await gantry.providers.create({ provider: { type: "aws", credentials } }).done()).id;
});
afterAll(() => live.close());

const networkInput = (cidr: string, more: object = {}) => ({
  provider,
  network: { cidr, location: "us-east-1", skip_subnets: true, ...more },
});

it("provisions, shows, changes and removes a network, and reads its events on the way", async () => {
  const types: string[] = [];
  const network = await gantry.networks
    .create(networkInput("10.1.0.0/16", { name: "shop" }))
    .done({ onEvent: ({ type }) => types.push(type) });
  expect(network).toMatchObject({ name: "shop", cidr: "10.1.0.0/16", provisioned_id: expect.stringMatching(/^vpc-/) });
  expect([types[0], types.at(-1)]).toEqual(["request.accepted", "request.finished"]);
  expect(types).toContain("request.stage");
  expect(await gantry.networks.get(network)).toEqual(network);
  expect(await gantry.networks.update(network.id, { network: { name: "shop 2" } })).toMatchObject({ name: "shop 2" });
  expect(await gantry.networks.delete(network).done()).toBeUndefined();
  expect(await gantry.networks.list({ name: "shop 2" }).first()).toBeUndefined();
});

it("plans with the input of the call, and does nothing", async () => {
  const plan = await gantry.networks.create.plan(networkInput("10.2.0.0/16"));
  expect(plan).toMatchObject({ creates: expect.arrayContaining(["vpc"]), requests: ["provision_network"] });
  expect(await gantry.networks.list({ q: "10.2.0.0/16" }).toArray({ max: 5 })).toEqual([]);
});

it("reads all pages of a list, each record once, and no more pages than asked for", async () => {
  const names = Array.from({ length: 7 }, (_, index) => `app-${index}`);
  for (const name of names)
    await gantry.applications.create({ application: { name, type: "rack", repository: "git@example.com:a.git" } });
  const seen: string[] = [];
  for await (const { name } of gantry.applications.list({ per_page: 3 })) seen.push(name);
  expect(seen.sort()).toEqual(names);
  expect(await gantry.applications.list({ per_page: 3 }).page()).toMatchObject({ total: 7, next: expect.any(String) });
  expect(await gantry.applications.list({ name: names.slice(0, 2) }).toArray({ max: 10 })).toHaveLength(2);
  expect(await gantry.applications.list({ per_page: 2 }).toArray({ max: 5 })).toHaveLength(5);
});

it("sends a null in a query as a filter for records without a value", async () => {
  const { body } = await gantry.call("GET", "/alerts", { query: { per_page: 5, finished_at: null } });
  expect(body).toEqual({ alerts: [] });
});

it("creates below the account of the client, or the one of the input", async () => {
  const environment = { name: "staging" };
  expect(await gantry.environments.create({ environment })).toMatchObject({ name: "staging" });
  const other = new Gantry({ baseUrl: live.url, token: live.owner.token });
  expect(() => other.environments.create({ environment })).toThrow(/^account: expected an id/);
});

it("has a class for each refusal, with what the API says", async () => {
  const wrong = gantry.networks.create(networkInput("10.0.0.1/16"));
  await expect(wrong).rejects.toBeInstanceOf(Invalid);
  await expect(wrong).rejects.toMatchObject({
    status: 422,
    code: "invalid",
    details: [{ path: "network.cidr", message: expect.any(String) }],
    traceId: expect.stringMatching(/^[\da-f]{32}$/),
    idempotencyKey: expect.any(String),
    attempts: 1,
  });
  await expect(gantry.networks.get("0190c4a2-1111-7111-8111-111111111111")).rejects.toBeInstanceOf(NotFound);
  const nobody = new Gantry({ baseUrl: live.url, token: "wrong" });
  await expect(nobody.networks.list().first()).rejects.toBeInstanceOf(Unauthorized);
  const network = await gantry.networks.create(networkInput("10.3.0.0/16", { skip_subnets: false })).done();
  const inTheWay = gantry.networks.delete(network);
  await expect(inTheWay).rejects.toBeInstanceOf(Conflict);
  await expect(inTheWay).rejects.toMatchObject({
    blocking: expect.arrayContaining([expect.stringContaining("/subnets/")]),
  });
});

it("cancels a Request and says what is left in AWS", async () => {
  const handle = await gantry.networks.create(networkInput("10.4.0.0/16", { skip_subnets: false }));
  const waiting = handle.done().then(
    () => "finished",
    (error) => error,
  );
  const { state, leaked } = await handle.cancel();
  expect(leaked).toEqual([]);
  if (state === "finished") return;
  expect(state).toBe("cancelled");
  expect(await waiting).toBeInstanceOf(RequestCancelled);
});

it("resumes a wait in another process", async () => {
  const handle = await gantry.networks.create(networkInput("10.5.0.0/16"));
  for await (const event of handle.events()) if (event.type === "request.started") break;
  const text = String(handle);
  expect(text).toMatch(/^[\da-f-]{36}#.+/);
  const types: string[] = [];
  const other = new Gantry({ baseUrl: live.url, token: live.owner.token });
  const network = await other.requests.resume<{ cidr: string }>(text).done({ onEvent: ({ type }) => types.push(type) });
  expect(network.cidr).toBe("10.5.0.0/16");
  expect(types).not.toContain("request.started");
  expect(types.at(-1)).toBe("request.finished");
});

it("returns from a wait for a Request that has ended, with the events that were not read", async () => {
  const handle = await gantry.networks.create(networkInput("10.7.0.0/16"));
  for await (const event of handle.events()) if (event.type === "request.started") break;
  const early = String(handle);
  expect((await handle.done()).cidr).toBe("10.7.0.0/16");
  const network = await gantry.requests.resume<{ cidr: string }>(String(handle)).done();
  expect(network.cidr).toBe("10.7.0.0/16");
  const types: string[] = [];
  await gantry.requests.resume(early).done({ onEvent: ({ type }) => types.push(type) });
  expect([types.includes("request.started"), types.at(-1)]).toEqual([false, "request.finished"]);
});

it("moves the cursor of a stream past events that its filter leaves out", async () => {
  const { accountId } = live.owner;
  const quiet = gantry.accounts.events(accountId, { types: ["webhook.disabled"] });
  const end = quiet[Symbol.asyncIterator]().next();
  await until(async () => quiet.cursor);
  quiet.close();
  expect(await end).toEqual({ done: true, value: undefined });
  const request = await gantry.networks.create(networkInput("10.6.0.0/16"));
  for await (const event of gantry.accounts.events(accountId, { after: quiet.cursor })) {
    expect(event).toMatchObject({ type: "request.accepted", subject: { id: request.id } });
    break;
  }
  await request.done();
});

it("waits for a Request although the events after its cursor are no longer kept", async () => {
  const { id } = await gantry.networks.create(networkInput("10.6.0.0/16"));
  let isExpired = true;
  const expiring: typeof fetch = async (url, init) => {
    if (!isExpired || !String(url).includes("/events?")) return fetch(url, init);
    isExpired = false;
    const body = { errors: ["events after this cursor are no longer kept"], code: "gone", details: [], trace_id: "0" };
    return new Response(JSON.stringify(body), { status: 410, headers: { "Content-Type": "application/json" } });
  };
  const later = new Gantry({ baseUrl: live.url, token: live.owner.token, fetch: expiring });
  const types: string[] = [];
  const network = await later.requests
    .resume<{ cidr: string }>(`${id}#1`)
    .done({ onEvent: ({ type }) => types.push(type) });
  expect([network.cidr, types[0], types.at(-1)]).toEqual(["10.6.0.0/16", "request.accepted", "request.finished"]);
});
