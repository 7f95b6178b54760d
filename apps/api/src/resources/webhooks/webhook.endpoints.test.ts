import { randomUUID } from "node:crypto";
import { createCaller } from "@gantry/test/support/api";
import { type LiveGantry, startLiveGantry } from "@gantry/test/support/live";
import { PRIVATE_HOSTS } from "@gantry/test/support/private-hosts";
import { type Receiver, startReceiver } from "@gantry/test/support/receiver";
import { until } from "@gantry/test/support/until";
import { Webhook as Verifier } from "standardwebhooks";

let gantry: LiveGantry;
let providerId: number;
const receivers: Receiver[] = [];

beforeAll(async () => {
  gantry = await startLiveGantry({ WEBHOOK_PRIVATE_ADDRESSES: "127.0.0.0/8,::1/128" });
  ({ providerId } = await gantry.addProvider());
});
afterEach(async () => {
  for (const receiver of receivers.splice(0)) await receiver.close();
  await gantry.api.db.webhook.updateMany({ data: { deletedAt: new Date() } });
});
afterAll(() => gantry.close());

const path = () => `/accounts/${gantry.owner.accountId}/webhooks`;

async function receiver(...parameters: Parameters<typeof startReceiver>): Promise<Receiver> {
  const started = await startReceiver(...parameters);
  receivers.push(started);
  return started;
}

async function addWebhook(url: string, more: object = {}): Promise<{ id: string; secret: string }> {
  const { status, body } = await gantry.owner.post(path(), { webhook: { url, ...more } });
  expect([status, body.errors]).toEqual([201, undefined]);
  return { id: body.webhook.id, secret: body.secret };
}

async function deliveriesOf(id: string, query = "") {
  return (await gantry.owner.get(`/webhooks/${id}/deliveries${query}`)).body.deliveries;
}

it("receives a Request's events once, in order and signed, as the stream shows them", async () => {
  const { url, received } = await receiver();
  const { id, secret } = await addWebhook(url);
  const network = { cidr: "10.0.0.0/16", location: "us-east-1" };
  const request = await gantry.done(await gantry.owner.post("/networks", { provider: providerId, network }));
  const delivered = await until(async () => {
    const { body } = await gantry.owner.get(`/requests/${request.id}/events?limit=1000`);
    return body.events.at(-1)?.type === "request.finished" && body.events;
  });
  const ofRequest = () =>
    received
      .map(
        ({ headers, body }) =>
          (new Verifier(secret).verify(body, headers as never) as { data: { request: string } }).data,
      )
      .filter((event) => event.request?.endsWith(request.id));
  await until(async () => ofRequest().length >= delivered.length);
  expect(ofRequest()).toEqual(delivered);
  const { body: stages } = await gantry.owner.get(`/requests/${request.id}/stages`);
  const entered = delivered.filter(({ type }: { type: string }) => type === "request.stage");
  expect(entered.map(({ record }: { record: { stage: string } }) => record.stage)).toEqual(
    stages.stages.map(({ name }: { name: string }) => name),
  );
  const [newest] = await deliveriesOf(id, "?state=delivered");
  expect(newest).toMatchObject({ attempts: 1, status: 204, error: null, webhook: expect.stringContaining(id) });
});

it("shows a secret once, and also signs with the previous secret for a day after a rotation", async () => {
  const { url, received } = await receiver();
  const { id, secret } = await addWebhook(url, { events: ["resource.created"] });
  expect(secret).toMatch(/^whsec_[\w+/]{43}=$/);
  expect((await gantry.owner.get(`/webhooks/${id}`)).text).not.toContain(secret);
  const { body } = await gantry.owner.post(`/webhooks/${id}/rotate-secret`);
  expect(body.secret).not.toBe(secret);
  expect(Date.parse(body.webhook.previous_secret_until) - Date.now()).toBeGreaterThan(23.9 * 3_600_000);
  await gantry.owner.post(`/webhooks/${id}/ping`);
  await until(async () => received.length > 0);
  const [{ headers, body: text }] = received as [Receiver["received"][number]];
  for (const each of [secret, body.secret])
    expect(new Verifier(each).verify(text, headers as never)).toMatchObject({ type: "ping" });
});

it("shows how a webhook answers a ping, and delivers once more with the same id", async () => {
  const { url, received } = await receiver((_, response) => response.writeHead(418).end("a teapot"));
  const { id } = await addWebhook(url, { events: ["resource.created"] });
  const { status, body } = await gantry.owner.post(`/webhooks/${id}/ping`);
  expect([status, body.delivery]).toMatchObject([201, { type: "ping", event: null, state: "pending" }]);
  const ended = await until(async () => {
    const { body: shown } = await gantry.owner.get(`/deliveries/${body.delivery.id}`);
    return shown.delivery.state !== "pending" && shown.delivery;
  });
  expect(ended).toMatchObject({ state: "failed", status: 418, answer: "a teapot", attempts: 1, next_attempt_at: null });
  const again = await gantry.owner.post(`/deliveries/${body.delivery.id}/redeliver`);
  expect(again.body.delivery).toMatchObject({ id: body.delivery.id, state: "pending", attempts: 0 });
  await until(async () => received.length === 2);
  expect(new Set(received.map(({ headers }) => headers["webhook-id"]))).toEqual(new Set([body.delivery.id]));
});

it("delivers nothing while disabled, and the waiting events once enabled", async () => {
  const { url, received } = await receiver();
  const { id } = await addWebhook(url, { events: ["resource.created"], description: "the team's channel" });
  await gantry.owner.put(`/webhooks/${id}`, { webhook: { disabled: true } });
  expect((await gantry.owner.get(`/webhooks/${id}`)).body.webhook).toMatchObject({
    disabled_at: expect.any(String),
    disabled_reason: "its account disabled it",
    description: "the team's channel",
  });
  const refused = await gantry.owner.post(`/webhooks/${id}/ping`);
  expect([refused.status, refused.body.errors]).toEqual([409, [`webhook ${id} is disabled; enable it first`]]);
  await gantry.owner.post("/addresses", { provider: providerId, address: { location: "us-east-1" } });
  expect(received).toEqual([]);
  const enabled = await gantry.owner.put(`/webhooks/${id}`, { webhook: { disabled: false } });
  expect(enabled.body.webhook).toMatchObject({ disabled_at: null, disabled_reason: null, failures: 0 });
  await until(async () => received.length === 1);
  expect(JSON.parse(received[0]?.body ?? "").data.subject.type).toBe("address");
});

/** An alert and an audit record with the whole URL. */
async function addRowsOfOlderVersion(webhookId: string, url: string): Promise<string> {
  const { db } = gantry.api;
  const { accountId } = gantry.owner;
  const alert = {
    name: "Webhook disabled",
    message: `Gantry no longer delivers to ${url}: gone.`,
    severity: "warning",
  };
  const { id } = await db.alert.create({
    data: { ...alert, id: randomUUID(), accountId, webhookId, externalId: "old", startedAt: new Date() },
  });
  const act = { action: "PUT /webhooks/:webhook", status: 200, subject: `webhook/${webhookId}`, traceId: "" };
  await db.pendingAuditRecord.create({ data: { ...act, id: randomUUID(), accountId, changes: { webhook: { url } } } });
  return id;
}

it("shows the path and the query of its address to administrators only", async () => {
  const { db } = gantry.api;
  const { accountId } = gantry.owner;
  const token = "T0KEN-IN-A-PATH";
  const { port, received } = await receiver((_, response) =>
    response.writeHead(410).end(`no route /${token}?k=${token}`),
  );
  const url = `http://127.0.0.1:${port}/${token}?k=${token}`;
  const { id } = await addWebhook(url, { events: ["resource.created"] });
  await gantry.owner.put(`/webhooks/${id}`, { webhook: { url } }).set("Idempotency-Key", token);
  await gantry.owner.post("/addresses", { provider: providerId, address: { location: "us-east-1" } });
  const readers = {
    viewer: await createCaller(gantry.api, { accountId, role: "viewer" }),
    member: await createCaller(gantry.api, { accountId, role: "member" }),
    "admin with a token for reading": await createCaller(gantry.api, { accountId, scopes: ["read"] }),
    "staff without a reason": await createCaller(gantry.api, { accountId, staff: true }),
  };
  await until(async () => (await gantry.owner.get(`/webhooks/${id}`)).body.webhook.disabled_at !== null);
  const alertId = await addRowsOfOlderVersion(id, url);
  await until(async () => (await gantry.owner.get(`/accounts/${accountId}/events?limit=1000`)).text.includes(alertId));
  expect(received).toHaveLength(1);
  const paths = [
    "/webhooks",
    `/webhooks/${id}`,
    `/accounts/${accountId}/webhooks`,
    `/webhooks/${id}/deliveries`,
    "/alerts?type=webhook",
    `/accounts/${accountId}/events?limit=1000`,
    `/accounts/${accountId}/audit?per_page=100`,
  ];
  for (const [name, reader] of Object.entries(readers)) {
    for (const path of paths)
      expect([name, path, (await reader.get(path)).text]).not.toContainEqual(expect.stringContaining(token));
    expect((await reader.get(`/webhooks/${id}`)).body.webhook.url).toBe(`http://127.0.0.1:${port}/***`);
    expect([name, (await reader.get(`/webhooks?url=${encodeURIComponent(url)}`)).body.webhooks]).toEqual([name, []]);
  }
  const audit = (await gantry.owner.get(paths[6] ?? "")).body.audit_records;
  expect(audit.map(({ changes }: { changes: { webhook?: object } }) => changes.webhook)).toContainEqual(
    expect.objectContaining({ url: `http://127.0.0.1:${port}/***` }),
  );
  for (const path of paths.slice(3)) expect((await gantry.owner.get(path)).text).not.toContain(token);
  expect((await gantry.owner.get(`/accounts/${accountId}/audit/export`).buffer(true)).text).not.toContain(token);
  const { alerts } = (await gantry.owner.get("/alerts?external_id=old")).body;
  expect(alerts[0].message).toBe(`Gantry no longer delivers to http://127.0.0.1:${port}/***: gone.`);
  for (const path of paths.slice(0, 3)) expect((await gantry.owner.get(path)).text).toContain(url);
  expect(JSON.stringify(await db.idempotencyKey.findMany())).not.toContain(`/${token}`);
  await gantry.owner.delete(`/webhooks/${id}`);
});

it("cancels its pending deliveries when it is removed", async () => {
  const { id } = await addWebhook("http://127.0.0.1:1/", { events: ["resource.created"] });
  await gantry.owner.post("/addresses", { provider: providerId, address: { location: "us-east-1" } });
  const [{ id: deliveryId }] = await until(async () => {
    const waiting = await deliveriesOf(id);
    return waiting[0]?.attempts === 1 && waiting;
  });
  expect((await gantry.owner.delete(`/webhooks/${id}`)).status).toBe(204);
  expect((await gantry.owner.get(`/deliveries/${deliveryId}`)).body.delivery).toMatchObject({
    state: "failed",
    next_attempt_at: null,
    error: "the webhook was removed",
  });
});

it("is found by its URL, while other lists accept and ignore a parameter with that name", async () => {
  for (const name of ["a", "b"]) await addWebhook(`https://hooks.example.com/${name}`);
  const { webhooks } = (await gantry.owner.get("/webhooks?url=https://hooks.example.com/b")).body;
  expect(webhooks.map(({ url }: { url: string }) => url)).toEqual(["https://hooks.example.com/b"]);
  await addWebhook("https://other.example.com/");
  const viewer = await createCaller(gantry.api, { accountId: gantry.owner.accountId, role: "viewer" });
  const found = async (url: string, by = viewer) => (await by.get(`/webhooks?url=${url}`)).body.webhooks.length;
  expect([await found("https://hooks.example.com/b"), await found("https://other.example.com/")]).toEqual([0, 1]);
  const staff = await createCaller(gantry.api, { staff: true, reason: "a test" });
  expect(await found("https://hooks.example.com/b", staff)).toBe(1);
});

describe("a webhook that waits after failures", () => {
  async function addWaiting(url: string) {
    const { id } = await addWebhook(url, { events: ["resource.created"] });
    const { db } = gantry.api;
    const { id: deliveryId } = (await gantry.owner.post(`/webhooks/${id}/ping`)).body.delivery;
    await until(async () => (await deliveriesOf(id, "?state=pending")).length === 0);
    const tomorrow = new Date(Date.now() + 86_400_000);
    await db.webhook.update({ where: { id }, data: { failures: 9, resumesAt: tomorrow } });
    const waiting = { state: "pending", attempts: 8, nextAttemptAt: tomorrow } as const;
    await db.webhookDelivery.update({ where: { id: deliveryId }, data: waiting });
    return { id, deliveryId };
  }

  it("receives a ping at once, and then no longer waits", async () => {
    const { url, received } = await receiver();
    const { id } = await addWaiting(url);
    await gantry.owner.post(`/webhooks/${id}/ping`);
    await until(async () => received.length === 2);
    const { resumes_at } = await until(async () => {
      const { webhook } = (await gantry.owner.get(`/webhooks/${id}`)).body;
      return webhook.failures === 0 && webhook;
    });
    expect(resumes_at).toBeNull();
  });

  it("receives redeliveries at once, even those waiting for the next attempt", async () => {
    const { url, received } = await receiver();
    const { deliveryId } = await addWaiting(url);
    expect((await gantry.owner.post(`/deliveries/${deliveryId}/redeliver`)).status).toBe(200);
    await until(async () => received.length === 2);
  });

  it("receives requested redeliveries before everything else that is due", async () => {
    const { url, received } = await receiver((_, response) => response.writeHead(500).end());
    const { id, deliveryId } = await addWaiting(url);
    const due = { nextAttemptAt: new Date(0), position: 2n, seq: 1n, type: "resource.created" };
    await gantry.api.db.webhookDelivery.update({ where: { id: deliveryId }, data: due });
    const earlier = { ...due, id: randomUUID(), accountId: gantry.owner.accountId, webhookId: id, position: 1n };
    await gantry.api.db.webhookDelivery.create({ data: earlier });
    expect((await gantry.owner.post(`/deliveries/${deliveryId}/redeliver`)).status).toBe(200);
    const { error } = await until(async () => {
      const { delivery } = (await gantry.owner.get(`/deliveries/${deliveryId}`)).body;
      return delivery.attempts === 1 && delivery;
    });
    expect(error).toBe("the event is no longer kept");
    expect((await gantry.owner.get(`/deliveries/${earlier.id}`)).body.delivery.attempts).toBe(0);
    expect(received).toHaveLength(1);
  });

  it.each([
    ["has a new address", (url: string) => ({ url: `${url}/new` })],
    ["is enabled", () => ({ disabled: false })],
  ])("receives waiting events at once when it %s", async (_, change) => {
    const { url, received } = await receiver();
    const { id } = await addWaiting(url);
    const { body } = await gantry.owner.put(`/webhooks/${id}`, { webhook: change(url) });
    expect(body.webhook).toMatchObject({ failures: 0, resumes_at: null });
    await until(async () => received.length === 2);
  });
});

it("ends the alert of a disabled webhook when it is enabled or removed", async () => {
  const { id } = await addWebhook("http://127.0.0.1:1/");
  const { db } = gantry.api;
  await db.webhook.update({ where: { id }, data: { disabledAt: new Date(), disabledReason: "a test" } });
  const alert = { accountId: gantry.owner.accountId, webhookId: id, externalId: "1", severity: "warning" };
  const { id: alertId } = await db.alert.create({
    data: { ...alert, id: id.replace(/^./, "f"), name: "Webhook disabled", message: "a test" },
  });
  expect((await gantry.owner.get("/alerts?type=webhook")).body.alerts).toMatchObject([
    { id: alertId, type: "webhook", resource: expect.stringContaining(`/webhooks/${id}`) },
  ]);
  await gantry.owner.put(`/webhooks/${id}`, { webhook: { disabled: false } });
  expect((await gantry.owner.get(`/alerts/${alertId}`)).body.alert.finished_at).not.toBeNull();
});

describe("is refused", () => {
  it.each([
    [{ url: "ftp://hooks.example.com" }, "webhook.url: must start with https://"],
    [
      { url: "https://me@hooks.example.com" },
      "webhook.url: must not contain a user name or a password; verify the signature of deliveries instead",
    ],
    [{ url: "hooks" }, "webhook.url: Invalid URL"],
    [{ url: "https://hooks.example.com", events: ["request.done"] }, /webhook\.events\.0: .*"request\.accepted"/],
    [{ url: "https://hooks.example.com", secret: "x" }, /secret/],
  ])("with %j", async (webhook, sentence) => {
    const { status, body } = await gantry.owner.post(path(), { webhook });
    expect([status, body.errors]).toEqual([422, [expect.stringMatching(sentence)]]);
  });

  it("for plain HTTP and private addresses in any form, also later, if they are not allowed", async () => {
    const other = await startLiveGantry();
    const path = `/accounts/${other.owner.accountId}/webhooks`;
    const refusal = "webhook.url: must not be a private or reserved address";
    const urls = [...PRIVATE_HOSTS, "hooks.localhost", "localhost."].map((host) => `https://${host}:8443/hook`);
    try {
      const webhook = { url: "http://hooks.example.com" };
      const refused = await other.owner.post(path, { webhook });
      expect([refused.status, refused.body.errors]).toEqual([422, ["webhook.url: must start with https://"]]);
      const { body } = await other.owner.post(path, { webhook: { url: "https://93.184.215.14/hook" } });
      for (const url of urls) {
        const created = await other.owner.post(path, { webhook: { url } });
        const changed = await other.owner.put(`/webhooks/${body.webhook.id}`, { webhook: { url } });
        for (const each of [created, changed])
          expect([url, each.status, each.body.errors]).toEqual([url, 422, [refusal]]);
      }
      expect((await other.owner.get("/webhooks")).body.webhooks).toMatchObject([{ url: "https://93.184.215.14/hook" }]);
    } finally {
      await other.close();
    }
  });

  it("beyond twenty of an account, and for a member", async () => {
    for (let count = 0; count < 20; count++) await addWebhook(`https://hooks.example.com/${count}`);
    const webhook = { url: "https://hooks.example.com/20" };
    const refused = await gantry.owner.post(path(), { webhook });
    expect([refused.status, refused.body.errors[0]]).toEqual([409, expect.stringContaining("20 webhooks")]);
    const member = await createCaller(gantry.api, { accountId: gantry.owner.accountId, role: "member" });
    expect((await member.post(path(), { webhook })).status).toBe(403);
  });
});
