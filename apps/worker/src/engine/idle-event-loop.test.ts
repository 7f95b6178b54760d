import { describe, expect, it } from "@jest/globals";
import { waitForIdleEventLoop } from "./idle-event-loop.js";

const BLOCKED_MS = 40;

/** Blocks every turn of the event loop while `isBusy`. */
function keepBusy(isBusy: () => boolean): void {
  const end = performance.now() + BLOCKED_MS;
  while (performance.now() < end);
  if (isBusy()) setImmediate(() => keepBusy(isBusy));
}

describe("work that may wait", () => {
  it("is put off while the process is busy", async () => {
    let turns = 5;
    setImmediate(() => keepBusy(() => --turns > 0));
    await waitForIdleEventLoop();
    expect(turns).toBe(0);
  });

  it("is not put off for ever", async () => {
    let isOver = false;
    setImmediate(() => keepBusy(() => !isOver));
    await expect(waitForIdleEventLoop()).resolves.toBeUndefined();
    isOver = true;
  });
});
