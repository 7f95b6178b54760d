import { randomUUID } from "node:crypto";
import type { Event } from "@gantry/db";
import { readEvents, START } from "@gantry/resources";
import { cloneDatabase, type TestDatabase } from "@gantry/test/support/stack";
import { until } from "@gantry/test/support/until";
import { removeOldDeliveries, removeOldEvents } from "./event-retention.js";

let database: TestDatabase;
let accountId: string;
beforeEach(async () => {
  database = await cloneDatabase();
  ({ id: accountId } = await database.db.account.create({ data: { id: randomUUID(), name: "retention" } }));
});
afterEach(() => database.drop());

const addProvider = () =>
  database.db.provider.create({ data: { accountId, type: "aws", externalId: randomUUID(), provisionedId: "1" } });

async function read() {
  return until(async () => {
    const page = await readEvents(database.db, { accountIds: [accountId] }, START, 100);
    const count = await database.db.event.count();
    return page.events.length === count && page;
  });
}

it("removes expired events in batches, and records where the kept events start", async () => {
  const { db } = database;
  for (let count = 0; count < 7; count++) await addProvider();
  await db.event.updateMany({ data: { createdAt: new Date(Date.now() - 31 * 24 * 60 * 60 * 1000) } });
  const { id } = await addProvider();
  const { events } = await read();
  const gapAfter = async (index: number) =>
    (await readEvents(db, { accountIds: [accountId] }, events[index] as Event, 100)).gap;
  expect([events.length, await gapAfter(0)]).toEqual([8, undefined]);

  await removeOldEvents(db, 30, 3);
  expect((await read()).events.map(({ subjectId }) => subjectId)).toEqual([String(id)]);
  expect([await gapAfter(0), await gapAfter(5), await gapAfter(7)]).toEqual(["removed", "removed", undefined]);
});

it("raises one alert on each webhook that had not yet delivered a removed event", async () => {
  const { db } = database;
  for (let count = 0; count < 3; count++) await addProvider();
  await db.event.updateMany({ data: { createdAt: new Date(Date.now() - 31 * 24 * 60 * 60 * 1000) } });
  const addWebhook = (more: object = {}) => {
    const data = { id: randomUUID(), accountId, url: "https://hooks.example.com", secret: Buffer.alloc(1) };
    return db.webhook.create({ data: { ...data, baseUrl: "https://gantry.test", position: 0n, ...more } });
  };
  const behind = [await addWebhook(), await addWebhook({ events: ["resource.created"], disabledAt: new Date() })];
  await addWebhook({ position: (await read()).cursor.position });
  await addWebhook({ events: ["drift.found"] });
  await addWebhook({ deletedAt: new Date() });
  await removeOldEvents(db, 30, 1);
  const alerts = await db.alert.findMany();
  expect(alerts.map(({ webhookId }) => webhookId).sort()).toEqual(behind.map(({ id }) => id).sort());
  expect(alerts[0]?.message).toMatch(/^Events that waited .* more than 30 days/);
});

it("leaves the events to the worker that removes them, without waiting for it", async () => {
  const { db } = database;
  await addProvider();
  await db.event.updateMany({ data: { createdAt: new Date(Date.now() - 31 * 24 * 60 * 60 * 1000) } });
  await db.$transaction(async (other) => {
    await other.$queryRaw`SELECT 1 FROM event_clocks FOR NO KEY UPDATE`;
    await removeOldEvents(db, 30);
    expect(await db.event.count()).toBe(1);
  });
  await read();
  await removeOldEvents(db, 30);
  expect(await db.event.count()).toBe(0);
});

it("removes the old deliveries that have ended or never will, in batches, also if several workers do so", async () => {
  const { db } = database;
  const old = new Date(Date.now() - 31 * 24 * 60 * 60 * 1000);
  const addWebhook = (deletedAt: Date | null) => {
    const data = { id: randomUUID(), accountId, url: "https://hooks.example.com", secret: Buffer.alloc(1), deletedAt };
    return db.webhook.create({ data: { ...data, baseUrl: "https://gantry.test", position: 0n } });
  };
  const [kept, removed] = [await addWebhook(null), await addWebhook(old)];
  const add = (count: number, { id: webhookId }: { id: string }, type: string, more: object) =>
    db.webhookDelivery.createMany({
      data: Array.from({ length: count }, () => ({ id: randomUUID(), accountId, webhookId, type, ...more })),
    });
  const ended = { state: "delivered", nextAttemptAt: null } as const;
  await add(7, kept, "old", { ...ended, createdAt: old });
  await add(1, kept, "old and failed", { ...ended, state: "failed", createdAt: old });
  await add(1, kept, "old and waiting", { createdAt: old });
  await add(1, kept, "new", ended);
  await add(1, removed, "dropped", { createdAt: old });
  await Promise.all([removeOldDeliveries(db, 30, 3), removeOldDeliveries(db, 30, 3)]);
  const left = await db.webhookDelivery.findMany({ orderBy: { type: "asc" } });
  expect(left.map(({ type }) => type)).toEqual(["new", "old and waiting"]);
});

it("removes nothing if nothing is old", async () => {
  await addProvider();
  await removeOldEvents(database.db, 30);
  const { events } = await read();
  const { gap } = await readEvents(database.db, { accountIds: [accountId] }, { position: 1n, seq: 0n }, 100);
  expect([events.length, gap]).toEqual([1, undefined]);
});
