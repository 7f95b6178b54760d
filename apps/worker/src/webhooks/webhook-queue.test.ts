import { randomUUID } from "node:crypto";
import { Vault } from "@gantry/db";
import { connectRedis, JobQueues, WEBHOOK_QUEUES, webhookLookup } from "@gantry/queue";
import { type Receiver, startReceiver } from "@gantry/test/support/receiver";
import { cloneDatabase, redisUrl, type TestDatabase, testLog, testMasterKey } from "@gantry/test/support/stack";
import { until } from "@gantry/test/support/until";
import { QueueKeys } from "bullmq";
import { WebhookDeliverer } from "./webhook-deliverer.js";
import { LANES, startWebhookQueue } from "./webhook-queue.js";
import { WebhookSender } from "./webhook-sender.js";

const vault = new Vault([Buffer.from(testMasterKey, "base64")]);
const SECRET = `whsec_${Buffer.alloc(32, 1).toString("base64")}`;
/** More than one worker delivers to at the same time. */
const SLOW = 60;
/** Longer than the test: the slow receivers answer nothing, and no call to them is given up. */
const NEVER_MS = 3_600_000;
/** No sweep comes before the end of a test, after the one at the start. */
const NEVER_SECONDS = 3600;

let database: TestDatabase;
let prefix: string;
const receivers: Receiver[] = [];
const stops: (() => Promise<void> | void)[] = [];
beforeEach(async () => {
  database = await cloneDatabase();
  prefix = `{${randomUUID()}}`;
});
afterEach(async () => {
  for (const receiver of receivers.splice(0)) await receiver.close();
  for (const stop of stops.splice(0).reverse()) await stop();
  await database.drop();
});

async function receiver(...answer: Parameters<typeof startReceiver>): Promise<Receiver> {
  const started = await startReceiver(...answer);
  receivers.push(started);
  return started;
}

function start(sweepSeconds: number): void {
  const sender = new WebhookSender(["127.0.0.0/8"], { timeoutMs: NEVER_MS });
  const deliverer = new WebhookDeliverer({ db: database.db, vault, sender, log: testLog });
  stops.push(() => sender.close(), startWebhookQueue(deliverer, { redisUrl, prefix, log: testLog, sweepSeconds }));
}

async function addAccount(): Promise<string> {
  return (await database.db.account.create({ data: { id: randomUUID(), name: "webhooks" } })).id;
}

async function addWebhook(accountId: string, url: string, isSlow = false): Promise<string> {
  const id = randomUUID();
  const secret = await vault.encrypt(SECRET, { table: "webhooks", column: "secret", id, account: accountId });
  const data = { id, accountId, url, secret, baseUrl: "https://gantry.test", position: 0n, isSlow };
  await database.db.webhook.create({ data });
  return id;
}

const addEvent = (accountId: string) =>
  database.db.provider.create({ data: { accountId, type: "aws", externalId: randomUUID(), provisionedId: "1" } });

/** Adds webhooks of a new account, each with a ping to deliver. */
async function addPinged(count: number, { url }: Receiver, isSlow = false): Promise<void> {
  const accountId = await addAccount();
  for (let added = 0; added < count; added++) {
    const webhookId = await addWebhook(accountId, url, isSlow);
    await database.db.webhookDelivery.create({ data: { id: randomUUID(), accountId, webhookId, type: "ping" } });
  }
}

/** How often Redis was asked for a job of the fast queue, whether it was there already or not. */
async function looksAskedFor(): Promise<number> {
  const redis = connectRedis(redisUrl);
  const asked = await redis.get(new QueueKeys(prefix).toKey(WEBHOOK_QUEUES.fast, "id"));
  redis.disconnect();
  return Number(asked);
}

it.each([
  ["new webhooks of one account", LANES.fast.accountConcurrency, (slow: Receiver) => addPinged(SLOW, slow)],
  ["slow webhooks of one account", LANES.slow.accountConcurrency, (slow: Receiver) => addPinged(SLOW, slow, true)],
  [
    "slow webhooks of many accounts",
    LANES.slow.concurrency,
    async (slow: Receiver) => {
      for (let count = 0; count < SLOW; count++) await addPinged(1, slow, true);
    },
  ],
])("does not let another account's delivery wait for receivers that hang: %s", async (_, share, addSlow) => {
  let held = 0;
  let mostHeld = 0;
  const slow = await receiver((_, response) => {
    mostHeld = Math.max(mostHeld, ++held);
    response.on("close", () => held--);
  });
  const other = await receiver();
  await addSlow(slow);
  start(0.2);
  await until(async () => held >= share);
  await addPinged(1, other);
  await until(async () => other.received.length === 1);
  expect(mostHeld).toBe(share);
});

describe("without a sweep", () => {
  let jobs: JobQueues;
  let accountId: string;
  beforeEach(async () => {
    start(NEVER_SECONDS);
    jobs = new JobQueues(redisUrl, prefix, testLog);
    stops.push(() => jobs.close());
    accountId = await addAccount();
  });

  it("delivers the event of a change that asks for it", async () => {
    const { url, received } = await receiver();
    await addWebhook(accountId, url);
    await addEvent(accountId);
    jobs.notifyWebhooks();
    await until(async () => received.length === 1);
  });

  it("delivers the event of a change during the webhook's lease", async () => {
    let isFirst = true;
    const { url, received } = await receiver(async (_, response) => {
      if (isFirst) {
        isFirst = false;
        await addEvent(accountId);
        jobs.notifyWebhooks();
        await jobs.settled();
      }
      response.writeHead(204).end();
    });
    await addWebhook(accountId, url);
    await addEvent(accountId);
    jobs.notifyWebhooks();
    await until(async () => received.length === 2);
  });

  it("delivers an event that an earlier transaction held back, when that has ended", async () => {
    const { url, received } = await receiver();
    await addWebhook(accountId, url);
    await database.db.$transaction(
      async (tx) => {
        await tx.account.update({ where: { id: accountId }, data: { name: "renamed" } });
        await addEvent(accountId);
        jobs.notifyWebhooks();
        await jobs.settled();
        // A check has found it, and that it cannot be read yet: it requests another one.
        await until(async () => (await looksAskedFor()) > 1);
        expect(received).toEqual([]);
      },
      { timeout: 600_000 },
    );
    await until(async () => received.length === 1);
  });

  it("tries a delivery again when its pause is over", async () => {
    const { url, received } = await receiver((_, response) =>
      response.writeHead(received.length === 1 ? 503 : 204).end(),
    );
    await addWebhook(accountId, url);
    await addEvent(accountId);
    jobs.notifyWebhooks();
    await until(async () => received.length === 2);
  });
});

it("triggers one check after changes in quick succession", async () => {
  const jobs = new JobQueues(redisUrl, prefix, testLog);
  stops.push(() => jobs.close());
  for (const asked of [1, 2]) {
    for (let change = 0; change < 5; change++) jobs.notifyWebhooks();
    await jobs.settled();
    expect(await looksAskedFor()).toBe(asked);
  }
});

it("requests no check while there is no webhook, and delivers the first event of a new one", async () => {
  start(NEVER_SECONDS);
  const jobs = new JobQueues(redisUrl, prefix, testLog, webhookLookup(database.db));
  stops.push(() => jobs.close());
  const accountId = await addAccount();
  await addEvent(accountId);
  jobs.notifyWebhooks();
  await jobs.settled();
  expect(await looksAskedFor()).toBe(0);
  const { url, received } = await receiver();
  await addWebhook(accountId, url);
  await addEvent(accountId);
  jobs.notifyWebhooks();
  await until(async () => received.length > 0);
});

it("finds untriggered deliveries by the sweep", async () => {
  const { url, received } = await receiver();
  start(0.5);
  const accountId = await addAccount();
  await addWebhook(accountId, url);
  await addEvent(accountId);
  await until(async () => received.length === 1);
});
