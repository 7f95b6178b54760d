import { describe, expect, it } from "@jest/globals";
import { waitForIdleEventLoop } from "./idle-event-loop.js";

const BLOCKED_MS = 40;

/** Blocks one turn of the event loop after the other, while `goOn` says so. */
function keepBusy(goOn: () => boolean): void {
  const end = performance.now() + BLOCKED_MS;
  while (performance.now() < end);
  if (goOn()) setImmediate(() => keepBusy(goOn));
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
