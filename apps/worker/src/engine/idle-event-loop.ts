import { setTimeout as sleep } from "node:timers/promises";

/** The longest turn of an idle event loop. */
const IDLE_TURN_MS = 20;
const CHECK_INTERVAL_MS = 50;
/** The longest delay of work: a process that stays busy goes on too. */
const MAX_WAIT_MS = 2000;

/** Resolves when the process has little to do, after 2 seconds at the latest: urgent work goes before work that may wait. */
export async function waitForIdleEventLoop(): Promise<void> {
  const end = performance.now() + MAX_WAIT_MS;
  while ((await turnMs()) > IDLE_TURN_MS && performance.now() < end)
    await sleep(CHECK_INTERVAL_MS * (0.5 + Math.random()));
}

function turnMs(): Promise<number> {
  const start = performance.now();
  return new Promise((resolve) => setImmediate(() => setImmediate(() => resolve(performance.now() - start))));
}
