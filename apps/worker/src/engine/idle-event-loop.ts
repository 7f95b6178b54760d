import { setTimeout as sleep } from "node:timers/promises";

/** A turn of the event loop that takes longer keeps others from starting soon, in milliseconds. */
const IDLE_TURN_MS = 20;
/** How often it is looked again, in milliseconds. */
const CHECK_INTERVAL_MS = 50;
/** The longest that work is put off, in milliseconds: a busy process goes on too. */
const MAX_WAIT_MS = 2000;

/** Resolves when the process has little to do: what may wait then leaves its time to what may not. */
export async function waitForIdleEventLoop(): Promise<void> {
  const end = performance.now() + MAX_WAIT_MS;
  while ((await turnMs()) > IDLE_TURN_MS && performance.now() < end)
    await sleep(CHECK_INTERVAL_MS * (0.5 + Math.random()));
}

function turnMs(): Promise<number> {
  const start = performance.now();
  return new Promise((resolve) => setImmediate(() => setImmediate(() => resolve(performance.now() - start))));
}
