import { randomUUID } from "node:crypto";
import { readEvents, START } from "@gantry/records";
import { cloneDatabase, type TestDatabase } from "@gantry/test/support/stack";
import { until } from "@gantry/test/support/until";
import { afterEach, beforeEach, expect, it } from "@jest/globals";
import { removeOldEvents } from "./event-retention.js";

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

it("removes the events that are older than kept, in batches, and tells from where they are", async () => {
  const { db } = database;
  for (let count = 0; count < 7; count++) await addProvider();
  await db.event.updateMany({ data: { createdAt: new Date(Date.now() - 31 * 24 * 60 * 60 * 1000) } });
  const { id } = await addProvider();
  const before = await read();
  expect([before.events.length, before.keptFrom.position]).toEqual([8, 0n]);

  await removeOldEvents(db, 30, 3);
  const after = await read();
  expect(after.events.map(({ subjectId }) => subjectId)).toEqual([String(id)]);
  expect(after.keptFrom.position).toBe((before.events[6]?.position ?? 0n) + 1n);
});

it("removes nothing where nothing is old", async () => {
  await addProvider();
  await removeOldEvents(database.db, 30);
  const { events, keptFrom } = await read();
  expect([events.length, keptFrom.position]).toEqual([1, 0n]);
});
