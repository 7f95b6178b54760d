import { randomUUID } from "node:crypto";
import type { EventCursor } from "@gantry/records";
import { startApiTest } from "@gantry/test/support/api-test";
import { testLog } from "@gantry/test/support/stack";
import { until } from "@gantry/test/support/until";
import { expect, it, vi } from "vitest";
import { EventFeed, type Follower } from "./event-feed.js";

const { db, owner } = await startApiTest();

/** Writes events in one transaction: as many as one poll brings, or fewer. */
const addEvents = (count: number) =>
  db.provider.createMany({
    data: Array.from({ length: count }, () => ({ accountId: owner.accountId, type: "aws", externalId: randomUUID() })),
  });

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

/** The place at which a new feed begins. */
async function startOf(follower: Follower): Promise<EventCursor> {
  return (await follower.read({}, undefined, 1)).cursor;
}

it("sends no reader of a burst of 800 events to the database", async () => {
  const feed = new EventFeed(db, testLog);
  try {
    const followers = Array.from({ length: 10 }, () => feed.follow(owner.accountId));
    const stored = vi.spyOn(feed, "readStored");
    const start = await until(async () => {
      stored.mockClear();
      const cursor = await startOf(followers[0] as Follower);
      // The feed holds what comes behind its first poll.
      await followers[0]?.read({}, cursor, 1);
      return stored.mock.calls.length === 1 && cursor;
    });
    stored.mockClear();
    await addEvents(800);
    const all = await Promise.all(followers.map((follower) => readAll(follower, start, 800)));
    for (const found of all) expect(found).toEqual(all[0]);
    expect([all[0]?.length, stored.mock.calls.length]).toEqual([800, 0]);
  } finally {
    await feed.close();
  }
});

it("lets go of the oldest events beyond its bound, which a slow reader reads from the database", async () => {
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
    const stored = vi.spyOn(feed, "readStored");
    expect(new Set(await readAll(slow, start, 500)).size).toBe(500);
    expect(stored).toHaveBeenCalled();
  } finally {
    await feed.close();
  }
});
