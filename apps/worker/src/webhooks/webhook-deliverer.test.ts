import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import { Vault, type Webhook } from "@gantry/db";
import { type Receiver, startReceiver } from "@gantry/test/support/receiver";
import { cloneDatabase, type TestDatabase, testLog, testMasterKey } from "@gantry/test/support/stack";
import { until } from "@gantry/test/support/until";
import { Webhook as Verifier } from "standardwebhooks";
import { RETRY_SECONDS } from "./delivery-outcomes.js";
import { WebhookDeliverer } from "./webhook-deliverer.js";
import { WebhookSender } from "./webhook-sender.js";

const SECRET = `whsec_${Buffer.alloc(32, 1).toString("base64")}`;
const vault = new Vault([Buffer.from(testMasterKey, "base64")]);

let database: TestDatabase;
let accountId: string;
let sender: WebhookSender;
let deliverer: WebhookDeliverer;
const receivers: Receiver[] = [];

beforeEach(async () => {
  database = await cloneDatabase();
  ({ id: accountId } = await database.db.account.create({ data: { id: randomUUID(), name: "webhooks" } }));
  sender = new WebhookSender(["127.0.0.0/8", "::1/128"]);
  deliverer = new WebhookDeliverer({ db: database.db, vault, sender, log: testLog });
});
afterEach(async () => {
  sender.close();
  for (const receiver of receivers.splice(0)) await receiver.close();
  await database.drop();
});

async function receiver(...parameters: Parameters<typeof startReceiver>): Promise<Receiver> {
  const started = await startReceiver(...parameters);
  receivers.push(started);
  return started;
}

async function addWebhook(url: string, more: Partial<Webhook> = {}): Promise<Webhook> {
  const id = randomUUID();
  const encryptSecret = (column: string, secret: string) =>
    vault.encrypt(secret, { table: "webhooks", column, id, account: accountId });
  const previousSecret = more.previousSecretUntil
    ? await encryptSecret("previous_secret", SECRET.replace("AQ", "Ag"))
    : null;
  const data = {
    id,
    accountId,
    url,
    secret: await encryptSecret("secret", SECRET),
    previousSecret,
    baseUrl: "https://gantry.test",
  };
  return database.db.webhook.create({ data: { ...data, position: 0n, ...more } });
}

const addProvider = () =>
  database.db.provider.create({ data: { accountId, type: "aws", externalId: randomUUID(), provisionedId: "1" } });

/** Delivers what is due by now, until no webhook that may deliver lags behind the last event. */
async function deliver(): Promise<void> {
  const last = await database.db.event.findFirst({ orderBy: [{ position: "desc" }, { seq: "desc" }] });
  await until(async () => {
    for (const { id } of (await deliverer.due()).webhooks) await deliverer.deliver(id);
    const [{ behind } = { behind: 0 }] = await database.db.$queryRaw<{ behind: number }[]>`
      SELECT count(*)::int AS behind FROM webhooks
      WHERE disabled_at IS NULL AND deleted_at IS NULL AND (resumes_at IS NULL OR resumes_at <= now())
        AND (lease_until IS NULL OR lease_until < now())
        AND (position, seq) < (${last?.position ?? 0n}::bigint, ${last?.seq ?? 0n}::bigint)`;
    return behind === 0;
  });
}

/** Has the waits of a webhook and its deliveries pass. */
async function pass(id: string): Promise<void> {
  await database.db.webhook.update({ where: { id }, data: { resumesAt: null } });
  await database.db.webhookDelivery.updateMany({
    where: { webhookId: id, state: "pending" },
    data: { nextAttemptAt: new Date() },
  });
}

const show = (id: string) => database.db.webhook.findUniqueOrThrow({ where: { id } });
const deliveriesOf = (webhookId: string) =>
  database.db.webhookDelivery.findMany({ where: { webhookId }, orderBy: [{ position: "asc" }, { seq: "asc" }] });

describe("a webhook", () => {
  it("receives each event once and in order, as the account's events show it, with a valid signature", async () => {
    const { url, received } = await receiver();
    const { id } = await addWebhook(url);
    const providers = [];
    for (let count = 0; count < 45; count++) providers.push(await addProvider());
    await deliver();
    await deliver();
    const bodies = received.map(({ headers, body }) => new Verifier(SECRET).verify(body, headers as never));
    expect(bodies).toEqual(
      providers.map((provider) => ({
        type: "resource.created",
        timestamp: expect.any(String),
        data: expect.objectContaining({
          type: "resource.created",
          subject: { type: "provider", id: provider.id, url: `https://gantry.test/providers/${provider.id}` },
        }),
      })),
    );
    const deliveries = await deliveriesOf(id);
    expect(received.map(({ headers }) => headers["webhook-id"])).toEqual(deliveries.map((delivery) => delivery.id));
    expect(new Set(deliveries.map(({ state, attempts, status }) => `${state} ${attempts} ${status}`))).toEqual(
      new Set(["delivered 1 204"]),
    );
    expect(() => new Verifier(SECRET).verify(`${received[0]?.body} `, received[0]?.headers as never)).toThrow();
  });

  it("gets events that older versions wrote: missing columns as null, and no record if it cannot be rendered", async () => {
    const warn = jest.spyOn(testLog, "warn");
    const { url, received } = await receiver();
    const { id: webhookId } = await addWebhook(url);
    const [older, broken, gone] = [await addProvider(), await addProvider(), await addProvider()];
    await database.db
      .$executeRaw`UPDATE events SET record = (record::jsonb - 'updated_at')::json WHERE subject_id = ${String(older.id)}`;
    await database.db
      .$executeRaw`UPDATE events SET record = '{"created_at": 5}' WHERE subject_id = ${String(broken.id)}`;
    await database.db.$executeRaw`UPDATE events SET subject_type = 'balloon' WHERE subject_id = ${String(gone.id)}`;
    await deliver();
    expect(received.map(({ body }) => JSON.parse(body).data)).toMatchObject([
      { subject: { type: "provider" }, record: { id: older.id, created_at: expect.any(String), updated_at: null } },
      { subject: { type: "provider", id: broken.id }, record: null },
      { subject: { type: "balloon", id: gone.id }, record: null },
    ]);
    expect((await deliveriesOf(webhookId)).map(({ state }) => state)).toEqual(["delivered", "delivered", "delivered"]);
    const line = { id: expect.any(String), type: "resource.created", err: expect.any(Error) };
    expect(warn.mock.calls).toEqual([
      [line, "event cannot be rendered"],
      [line, "event cannot be rendered"],
    ]);
    warn.mockRestore();
  });

  it("receives only events of the requested types", async () => {
    const { url, received } = await receiver();
    await addWebhook(url, { events: ["resource.deleted"] });
    const { id } = await addProvider();
    await database.db.provider.update({ where: { id }, data: { deletedAt: new Date() } });
    await deliver();
    expect(received.map(({ body }) => JSON.parse(body).type)).toEqual(["resource.deleted"]);
    expect((await deliverer.due()).webhooks).toEqual([]);
  });

  it("is signed with the secret before a rotation too, until its day is over", async () => {
    const { url, received } = await receiver();
    const { id } = await addWebhook(url, { previousSecretUntil: new Date(Date.now() + 3_600_000) });
    await addProvider();
    await deliver();
    await database.db.webhook.update({ where: { id }, data: { previousSecretUntil: new Date(0) } });
    await addProvider();
    await deliver();
    const verify = (index: number, secret: string) => () =>
      new Verifier(secret).verify(received[index]?.body ?? "", received[index]?.headers as never);
    const before = SECRET.replace("AQ", "Ag");
    for (const signed of [verify(0, SECRET), verify(0, before), verify(1, SECRET)]) expect(signed).not.toThrow();
    expect(verify(1, before)).toThrow();
  });

  it("receives failed events again and later ones meanwhile, but nothing for a while after three failures in a row", async () => {
    let failing = 1;
    const { url, received } = await receiver((_, response) => response.writeHead(failing-- > 0 ? 500 : 200).end("oh"));
    const { id } = await addWebhook(url);
    for (let count = 0; count < 3; count++) await addProvider();
    await deliver();
    const [first, ...others] = await deliveriesOf(id);
    expect(first).toMatchObject({ state: "pending", attempts: 1, status: 500, answer: "oh" });
    const wait = (first?.nextAttemptAt?.getTime() ?? 0) - (first?.attemptedAt?.getTime() ?? 0);
    expect(wait / 1000).toBeCloseTo(RETRY_SECONDS[0] ?? 0, 0);
    expect(others.map(({ state }) => state)).toEqual(["delivered", "delivered"]);
    expect(await show(id)).toMatchObject({ failures: 0, resumesAt: null });
    await pass(id);
    await deliver();
    expect((await deliveriesOf(id)).map(({ state }) => state)).toEqual(["delivered", "delivered", "delivered"]);
    expect(received[3]?.headers["webhook-id"]).toBe(first?.id);

    failing = 100;
    for (let count = 0; count < 5; count++) await addProvider();
    await deliver();
    expect(received).toHaveLength(7);
    const { failures, resumesAt } = await show(id);
    expect([failures, Number(resumesAt) > Date.now()]).toEqual([3, true]);
    expect((await deliverer.due()).webhooks).toEqual([]);
  });

  it.each([500, 410])("is retried at once if its account changed it before it returned %d", async (status) => {
    const { url } = await receiver(async (_, response) => {
      await database.db.webhook.update({ where: { id }, data: { failures: 0 } });
      response.writeHead(status).end();
    });
    const { id } = await addWebhook(url, { failures: 5 });
    await addProvider();
    await deliver();
    expect(await show(id)).toMatchObject({ failures: 0, resumesAt: null, disabledAt: null });
    expect((await deliveriesOf(id))[0]).toMatchObject({ state: "pending", attempts: 0, status });
    expect((await deliverer.due()).webhooks).toEqual([{ id, accountId, isSlow: false }]);
  });

  it("is disabled after ten tries, with an event and an alert, and keeps what waits until it is enabled", async () => {
    const { url } = await receiver((_, response) => response.writeHead(503).end());
    const { id } = await addWebhook(url);
    await addProvider();
    for (let tries = 1; tries < 10; tries++) {
      await deliver();
      expect((await deliveriesOf(id))[0]).toMatchObject({ state: "pending", attempts: tries });
      expect(await show(id)).toMatchObject({ failures: tries, disabledAt: null });
      await pass(id);
    }
    const waiting = { id: randomUUID(), accountId, webhookId: id, type: "resource.created" };
    await database.db.webhookDelivery.create({ data: { ...waiting, position: 1_000_000_000n, seq: 1n } });
    await deliver();
    const reason = "10 attempts failed: the last response had the status 503";
    expect(await show(id)).toMatchObject({ disabledAt: expect.any(Date), disabledReason: reason });
    expect((await deliveriesOf(id)).map(({ state }) => state)).toEqual(["failed", "pending"]);
    expect(await database.db.alert.findMany()).toMatchObject([
      { webhookId: id, finishedAt: null, severity: "warning" },
    ]);
    const events = await database.db.event.findMany({ where: { type: { in: ["webhook.disabled", "alert.raised"] } } });
    expect(events.map(({ type, message }) => [type, message]).sort()).toEqual([
      ["alert.raised", null],
      ["webhook.disabled", reason],
    ]);
    expect(events.flatMap(({ record }) => Object.keys(record as object))).not.toContain("secret");
    await pass(id);
    expect((await deliverer.due()).webhooks).toEqual([]);
  });

  it("is disabled at once by the response 410 Gone", async () => {
    const { url } = await receiver((_, response) => response.writeHead(410).end());
    const { id } = await addWebhook(url);
    await addProvider();
    await deliver();
    expect(await show(id)).toMatchObject({ disabledReason: "the receiver answered 410 Gone" });
  });

  it("receives the event that another webhook was disabled, with that record's times", async () => {
    const gone = await receiver((_, response) => response.writeHead(410).end());
    const { url, received } = await receiver();
    const previousSecretUntil = new Date("2099-01-01T00:00:00Z");
    const { id } = await addWebhook(gone.url, { previousSecretUntil, events: ["resource.created"] });
    await addWebhook(url, { events: ["webhook.disabled"] });
    await addProvider();
    await deliver();
    await deliver();
    expect(received.map(({ body }) => JSON.parse(body).data.record)).toMatchObject([
      { id, previous_secret_until: "2099-01-01T00:00:00+00:00" },
    ]);
  });

  it("answers a ping once, and a ping that fails disables nothing", async () => {
    const { url, received } = await receiver((_, response) => response.writeHead(500).end());
    const { id } = await addWebhook(url);
    await database.db.webhookDelivery.create({ data: { id: randomUUID(), accountId, webhookId: id, type: "ping" } });
    await deliver();
    expect(JSON.parse(received[0]?.body ?? "")).toMatchObject({ type: "ping", data: { id, url } });
    expect(await deliveriesOf(id)).toMatchObject([{ state: "failed", attempts: 1, status: 500 }]);
    expect(await show(id)).toMatchObject({ failures: 0, disabledAt: null });
  });

  it("with a hanging receiver delays no other webhook, and only one worker at a time delivers to it", async () => {
    const held: ServerResponse[] = [];
    const hanging = await receiver((_, response) => {
      if (held.length === 0) held.push(response);
      else response.writeHead(204).end();
    });
    const working = await receiver();
    const webhooks = [await addWebhook(hanging.url), await addWebhook(working.url)];
    for (const { id: webhookId } of webhooks)
      await database.db.webhookDelivery.create({ data: { id: randomUUID(), accountId, webhookId, type: "ping" } });
    const patientSender = new WebhookSender(["127.0.0.0/8", "::1/128"], { timeoutMs: 3_600_000 });
    const patient = new WebhookDeliverer({ db: database.db, vault, sender: patientSender, log: testLog });
    const [slow, other] = webhooks.map(({ id }) => id) as [string, string];
    const delivery = patient.deliver(slow);
    await until(async () => held.length === 1);
    await Promise.all([patient.deliver(slow), patient.deliver(slow), patient.deliver(other)]);
    expect([hanging.received.length, working.received.length]).toEqual([1, 1]);
    for (const response of held) response.writeHead(204).end();
    await delivery;
    patientSender.close();
    expect(hanging.received).toHaveLength(1);
  });

  it("loses no event if a worker dies after it claimed the webhook", async () => {
    const { url, received } = await receiver();
    const { id } = await addWebhook(url, { leaseUntil: new Date(Date.now() + 60_000) });
    await addProvider();
    await deliver();
    expect(received).toEqual([]);
    await database.db.webhook.update({ where: { id }, data: { leaseUntil: new Date(0) } });
    await deliver();
    expect(received).toHaveLength(1);
  });

  describe("that its account changes during a lease", () => {
    const other = SECRET.replace("AQ", "Aw");

    it.each<[string, (id: string, elsewhere: string) => Promise<Partial<Webhook>>, number, number]>([
      ["is removed", async () => ({ deletedAt: new Date() }), 1, 0],
      ["is disabled", async () => ({ disabledAt: new Date() }), 1, 0],
      ["has a new address", async (_, url) => ({ url }), 1, 2],
      [
        "has a new secret",
        async (id) => ({
          secret: await vault.encrypt(other, { table: "webhooks", column: "secret", id, account: accountId }),
        }),
        3,
        0,
      ],
    ])("receives nothing more in its earlier form once it %s", async (_, changesOf, here, there) => {
      const elsewhere = await receiver();
      const { url, received } = await receiver(async (_, response) => {
        if (received.length === 1)
          await database.db.webhook.update({
            where: { id },
            data: (await changesOf(id, elsewhere.url)) as { url?: string },
          });
        response.writeHead(204).end();
      });
      const { id } = await addWebhook(url);
      for (let count = 0; count < 3; count++) await addProvider();
      await deliver();
      expect([received.length, elsewhere.received.length]).toEqual([here, there]);
      for (const { body, headers } of received.slice(1))
        expect(() => new Verifier(other).verify(body, headers as never)).not.toThrow();
    });
  });

  describe("that waits after failures", () => {
    const tomorrow = new Date(Date.now() + 86_400_000);

    /** A webhook that waits, for which events are due, the last one because a user asked for it, and a ping. */
    async function addWaiting(url: string): Promise<{ id: string; asked: string; ping: string }> {
      const { id } = await addWebhook(url);
      for (let count = 0; count < 4; count++) await addProvider();
      await database.db.webhook.update({ where: { id }, data: { disabledAt: new Date() } });
      const events = await database.db.event.findMany({ orderBy: [{ position: "asc" }, { seq: "asc" }] });
      const ids = events.map(() => randomUUID());
      await database.db.webhookDelivery.createMany({
        data: events
          .filter(({ subjectType }) => subjectType === "provider")
          .map(({ position, seq, type }, index) => {
            const askedAt = index === 3 ? new Date() : null;
            return { id: ids[index] ?? "", accountId, webhookId: id, position, seq, type, askedAt };
          }),
      });
      const ping = randomUUID();
      await database.db.webhookDelivery.create({ data: { id: ping, accountId, webhookId: id, type: "ping" } });
      const { position, seq } = events.at(-1) ?? { position: 0n, seq: 0n };
      const waiting = { failures: 5, resumesAt: tomorrow, disabledAt: null, position: position + 1n, seq };
      await database.db.webhook.update({ where: { id }, data: waiting });
      return { id, asked: ids[3] ?? "", ping };
    }

    it("gets pings and redeliveries at once, and nothing else while they fail", async () => {
      const { url, received } = await receiver((_, response) => response.writeHead(500).end());
      const { id, asked, ping } = await addWaiting(url);
      await deliver();
      expect(received.map(({ headers }) => headers["webhook-id"])).toEqual([ping, asked]);
      expect((await show(id)).resumesAt).toEqual(tomorrow);
      expect((await deliverer.due()).webhooks).toEqual([]);
    });

    it("no longer waits once it accepts one", async () => {
      const { url, received } = await receiver();
      const { id } = await addWaiting(url);
      await deliver();
      expect(await show(id)).toMatchObject({ failures: 0, resumesAt: null });
      await deliver();
      expect(received).toHaveLength(5);
    });

    it("waits for at most a quarter of an hour, and is disabled after all attempts of one delivery fail", async () => {
      const { url } = await receiver((_, response) => response.writeHead(500).end());
      const { id } = await addWebhook(url);
      for (let count = 0; count < 20; count++) await addProvider();
      await deliver();
      let hours = 0;
      let longestPause = 0;
      for (let run = 0; run < 1000 && !(await show(id)).disabledAt; run++) {
        const [{ pause, wait } = { pause: 0, wait: 0 }] = await database.db.$queryRaw<
          { pause: number; wait: number }[]
        >`
          SELECT extract(epoch FROM w.resumes_at - now())::float8 AS pause, greatest(0, extract(epoch FROM
            greatest(w.resumes_at, (SELECT min(next_attempt_at) FROM webhook_deliveries)) - now()))::float8 AS wait
          FROM webhooks w`;
        longestPause = Math.max(longestPause, pause);
        hours += wait / 3600;
        await database.db.$executeRaw`
          UPDATE webhook_deliveries SET next_attempt_at = next_attempt_at - make_interval(secs => ${wait}::float8)`;
        await database.db.$executeRaw`
          UPDATE webhooks SET resumes_at = resumes_at - make_interval(secs => ${wait}::float8)`;
        await deliverer.deliver(id);
      }
      expect((await show(id)).disabledReason).toMatch(/^10 attempts failed/);
      const tries = RETRY_SECONDS.reduce((sum, seconds) => sum + seconds, 0) / 3600;
      expect(longestPause).toBeLessThanOrEqual(900);
      expect(hours).toBeGreaterThan(tries - 0.1);
      expect(hours).toBeLessThan(tries + (RETRY_SECONDS.length * 900) / 3600);
    });
  });

  it.each([-3600, 3600])("gets what is due, and only that, from a worker whose clock is %d s off", async (seconds) => {
    let failing = 1;
    const { url, received } = await receiver((_, response) => response.writeHead(failing-- > 0 ? 500 : 204).end());
    const { id } = await addWebhook(url, { previousSecretUntil: new Date(Date.now() + 60_000) });
    await addProvider();
    await addProvider();
    const realNow = Date.now;
    const clock = jest.spyOn(Date, "now").mockImplementation(() => realNow() + seconds * 1000);
    try {
      await deliver();
      await deliver();
    } finally {
      clock.mockRestore();
    }
    expect(received).toHaveLength(2);
    const [first, second] = await deliveriesOf(id);
    expect([first?.state, second?.state]).toEqual(["pending", "delivered"]);
    const wait = Number(first?.nextAttemptAt) - Number(first?.attemptedAt);
    expect(wait).toBe((RETRY_SECONDS[0] ?? 0) * 1000);
    expect(Math.abs(Number(first?.attemptedAt) - Date.now())).toBeLessThan(1_800_000);
    const { body = "", headers = {} } = received[1] ?? {};
    expect(() => new Verifier(SECRET.replace("AQ", "Ag")).verify(body, headers as never)).not.toThrow();
  });

  it("moves between the slow and the fast lane by the time of its last response", async () => {
    const { url, received } = await receiver();
    const { id } = await addWebhook(url);
    for (let count = 0; count < 3; count++) await addProvider();
    const withLimit = (slowMs: number) =>
      new WebhookDeliverer({ db: database.db, vault, sender, log: testLog, slowMs });
    // Until the events are below the horizon there is nothing to deliver.
    await until(async () => {
      await withLimit(0).deliver(id);
      return received.length > 0;
    });
    expect(received).toHaveLength(1);
    expect((await deliverer.due()).webhooks).toEqual([{ id, accountId, isSlow: true }]);
    await withLimit(3_600_000).deliver(id);
    expect(received).toHaveLength(3);
    expect((await show(id)).isSlow).toBe(false);
  });
});
