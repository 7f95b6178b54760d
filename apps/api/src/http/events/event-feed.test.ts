import { randomUUID } from "node:crypto";
import { connectDb } from "@gantry/db";
import { type EventCursor, readEvents, START } from "@gantry/resources";
import { startApiTest } from "@gantry/test/support/api-test";
import { LONG_TIMEOUTS, testLog } from "@gantry/test/support/stack";
import { until } from "@gantry/test/support/until";
import { EventFeed, type Follower } from "./event-feed.js";

const NEVER_MS = 3_600_000;

const { api, db, owner } = await startApiTest();

/** Writes events in one transaction: as many as one poll brings, or fewer. */
const addEvents = (count: number) =>
  db.provider.createMany({
    data: Array.from({ length: count }, () => ({ accountId: owner.accountId, type: "aws", externalId: randomUUID() })),
  });

/** Writes events, and waits until transactions of other tests hold them back no longer. */
async function addReadableEvents(count: number): Promise<void> {
  const accountIds = [owner.accountId];
  const { cursor } = await readEvents(db, { accountIds }, undefined, 1);
  await addEvents(count);
  await until(async () => (await readEvents(db, { accountIds }, cursor, count)).events.length === count);
}

/** Reads as a stream does, until it has `count` events. */
async function readAll(follower: Follower, start: EventCursor, count: number): Promise<string[]> {
  const found: string[] = [];
  let cursor = start;
  await until(async () => {
    const page = await follower.read({}, cursor, 100);
    cursor = page.cursor;
    found.push(...page.events.map(({ subjectId }) => subjectId));
    return found.length >= count;
  });
  return found;
}

/** The cursor at which a new feed begins. */
async function startOf(follower: Follower): Promise<EventCursor> {
  return (await follower.read({}, undefined, 1)).cursor;
}

/** A cursor after which the feed holds every event. */
function heldStartOf(feed: EventFeed, follower: Follower): Promise<EventCursor> {
  const stored = jest.spyOn(feed, "readStored");
  return until(async () => {
    stored.mockClear();
    const cursor = await startOf(follower);
    // The feed holds what comes after its first poll.
    await follower.read({}, cursor, 1);
    return stored.mock.calls.length === 1 && cursor;
  });
}

it("serves a burst of 800 events without a database query per reader", async () => {
  const feed = new EventFeed(db, testLog);
  try {
    const followers = Array.from({ length: 10 }, () => feed.follow(owner.accountId));
    const start = await heldStartOf(feed, followers[0] as Follower);
    const stored = jest.spyOn(feed, "readStored").mockClear();
    await addEvents(800);
    const all = await Promise.all(followers.map((follower) => readAll(follower, start, 800)));
    for (const found of all) expect(found).toEqual(all[0]);
    expect([all[0]?.length, stored.mock.calls.length]).toEqual([800, 0]);
  } finally {
    await feed.close();
  }
});

it("drops the oldest events beyond its bound, which slow readers read from the database", async () => {
  const feed = new EventFeed(db, testLog, 50_000);
  try {
    const [quick, slow] = [feed.follow(owner.accountId), feed.follow(owner.accountId)];
    const start = await startOf(quick);
    let cursor = start;
    for (let burst = 1; burst <= 5; burst++) {
      await addEvents(100);
      await readAll(quick, cursor, 100);
      cursor = await startOf(quick);
    }
    const stored = jest.spyOn(feed, "readStored");
    expect(new Set(await readAll(slow, start, 500)).size).toBe(500);
    expect(stored).toHaveBeenCalled();
  } finally {
    await feed.close();
  }
});

it("keeps the result of one poll until the next poll, even with a small bound", async () => {
  const feed = new EventFeed(db, testLog, 1);
  try {
    const follower = feed.follow(owner.accountId);
    const start = await heldStartOf(feed, follower);
    const stored = jest.spyOn(feed, "readStored").mockClear();
    const page = follower.changed(NEVER_MS).then(() => follower.read({}, start, 100));
    await addEvents(100);
    expect([(await page).events.length, stored.mock.calls.length]).toEqual([100, 0]);
  } finally {
    await feed.close();
  }
});

it("leaves a connection free for others, even if many readers need pages from the database", async () => {
  const small = connectDb(api.env.DATABASE_URL, 5, LONG_TIMEOUTS);
  const feed = new EventFeed(small, testLog);
  const selection = { accountIds: [owner.accountId] };
  try {
    const reading = await db.$transaction(async (lock) => {
      await lock.$executeRaw`LOCK TABLE events IN ACCESS EXCLUSIVE MODE`;
      const reading = Array.from({ length: 20 }, (_, at) => feed.readStored(selection, START, 1 + at));
      await until(async () => {
        const blocked = await db.$queryRaw<unknown[]>`
          SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
        return blocked.length >= 4;
      });
      expect(await small.$queryRaw`SELECT 1 AS answer`).toEqual([{ answer: 1 }]);
      return { pages: Promise.all(reading) };
    });
    expect(await reading.pages).toHaveLength(20);
  } finally {
    await feed.close();
    await small.$disconnect();
  }
});

/** A feed, and how often it has read events from the database. Answers wait for `answered`. */
function watchedFeed({ answered = Promise.resolve() } = {}) {
  let reads = 0;
  const watched = Object.create(db, {
    $queryRaw: {
      value: async (...query: Parameters<typeof db.$queryRaw>) => {
        const rows = await db.$queryRaw(...query);
        reads += 1;
        await answered;
        return rows;
      },
    },
  });
  return { feed: new EventFeed(watched, testLog), reads: () => reads };
}

it("reads a full page once for all readers at the same cursor, and other pages for each reader", async () => {
  await addReadableEvents(20);
  const { feed, reads } = watchedFeed();
  const accountIds = [owner.accountId];
  const read = (selection = {}) => feed.readStored({ accountIds, ...selection }, START, 10);
  const pages = await Promise.all(Array.from({ length: 20 }, () => read()));
  expect([new Set(pages).size, pages[0]?.events.length, reads()]).toEqual([1, 10, 1]);
  expect((await read({ types: ["resource.created"] })).events.length).toBe(10);
  expect((await feed.readStored({ accountIds: [randomUUID()] }, START, 10)).events).toEqual([]);
  expect(reads()).toBe(3);
});

it("misses no event written before a reader asks, even while another reader is reading", async () => {
  let answer = () => {};
  const { feed, reads } = watchedFeed({ answered: new Promise<void>((resolve) => (answer = resolve)) });
  const accountIds = [owner.accountId];
  const { cursor } = await readEvents(db, { accountIds }, undefined, 1000);
  const earlier = feed.readStored({ accountIds }, cursor, 1000);
  await until(async () => reads() === 1);
  await addReadableEvents(1);
  const later = feed.readStored({ accountIds }, cursor, 1000);
  answer();
  expect((await earlier).events).toEqual([]);
  await later;
  // A read of its own: what it finds depends on transactions of other databases, which move the horizon.
  expect(reads()).toBe(2);
});

it("yields to other work of the process between pages", async () => {
  const { feed } = watchedFeed();
  let rounds = 0;
  let counting = true;
  const count = () => {
    rounds += 1;
    if (counting) setImmediate(count);
  };
  setImmediate(count);
  await Promise.all(Array.from({ length: 20 }, () => feed.nextTurn()));
  counting = false;
  expect(rounds).toBeGreaterThanOrEqual(20);
});
