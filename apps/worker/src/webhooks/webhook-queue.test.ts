import { randomUUID } from "node:crypto";
import { Vault } from "@gantry/db";
import { createLog } from "@gantry/runtime";
import { type Receiver, startReceiver } from "@gantry/test/support/receiver";
import { cloneDatabase, redisUrl, type TestDatabase, testMasterKey } from "@gantry/test/support/stack";
import { until } from "@gantry/test/support/until";
import { afterEach, beforeEach, expect, it } from "vitest";
import { WebhookDeliverer } from "./webhook-deliverer.js";
import { LANES, startWebhookQueue } from "./webhook-queue.js";
import { WebhookSender } from "./webhook-sender.js";

const vault = new Vault([Buffer.from(testMasterKey, "base64")]);
const SECRET = `whsec_${Buffer.alloc(32, 1).toString("base64")}`;
/** More than one worker delivers to at the same time. */
const SLOW = 60;
/** Longer than the test: the slow receivers answer nothing, and no call to them is given up. */
const NEVER_MS = 3_600_000;

let database: TestDatabase;
const receivers: Receiver[] = [];
beforeEach(async () => {
  database = await cloneDatabase();
});
afterEach(async () => {
  for (const receiver of receivers.splice(0)) await receiver.close();
  await database.drop();
});

/** Adds webhooks of a new account, each with a ping to deliver. */
async function addPinged(count: number, { url }: Receiver, isSlow = false): Promise<void> {
  const { db } = database;
  const { id: accountId } = await db.account.create({ data: { id: randomUUID(), name: "webhooks" } });
  for (let added = 0; added < count; added++) {
    const id = randomUUID();
    const secret = await vault.seal(SECRET, { table: "webhooks", column: "secret", id, account: accountId });
    const data = { id, accountId, url, secret, baseUrl: "https://gantry.test", position: 0n, isSlow };
    await db.webhook.create({ data });
    await db.webhookDelivery.create({ data: { id: randomUUID(), accountId, webhookId: id, type: "ping" } });
  }
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
  const slow = await startReceiver((_, response) => {
    mostHeld = Math.max(mostHeld, ++held);
    response.on("close", () => held--);
  });
  const other = await startReceiver();
  receivers.push(slow, other);
  await addSlow(slow);
  const sender = new WebhookSender(["127.0.0.0/8"], { timeoutMs: NEVER_MS });
  const log = createLog("test", "silent");
  const deliverer = new WebhookDeliverer({ db: database.db, vault, sender, log });
  const stop = startWebhookQueue(deliverer, { redisUrl, prefix: `{${randomUUID()}}`, log });
  try {
    await until(async () => held >= share);
    await addPinged(1, other);
    await until(async () => other.received.length === 1);
    expect(mostHeld).toBe(share);
  } finally {
    await slow.close();
    await stop();
    sender.close();
  }
});
