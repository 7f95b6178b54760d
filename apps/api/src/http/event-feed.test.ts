import { startApiTest } from "@gantry/test/support/api-test";
import { testLog } from "@gantry/test/support/stack";
import { expect, it } from "@jest/globals";
import { EventFeed } from "./event-feed.js";

const { db, owner } = await startApiTest();

it("lets a user read 250 times at once and others meanwhile, and all of them 5,000 times", async () => {
  const feed = new EventFeed(db, testLog);
  const follow = (userId: string, count: number) =>
    Array.from({ length: count }, () => feed.follow(owner.accountId, userId));
  try {
    const [first] = follow("user 0", 250);
    expect(() => feed.requireRoom("user 0")).toThrow(expect.objectContaining({ status: 429 }));
    expect(() => feed.requireRoom("user 1")).not.toThrow();
    first?.close();
    expect(() => feed.requireRoom("user 0")).not.toThrow();
    for (let user = 1; user < 20; user++) follow(`user ${user}`, 250);
    expect(() => feed.requireRoom("user 21")).not.toThrow();
    follow("user 0", 1);
    expect(() => feed.requireRoom("user 21")).toThrow(
      expect.objectContaining({ status: 503, extras: { headers: { "Retry-After": "5" } } }),
    );
  } finally {
    await feed.close();
  }
});
