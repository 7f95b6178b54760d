import { type Claim, claimNext } from "./claim.js";
import type { Engine } from "./engine.js";
import { runClaimed } from "./run.js";
import { isWatched } from "./watch.js";

/** The part of a worker's concurrency that one account may use: others' Requests start at once on the rest. */
const ACCOUNT_SHARE = 4 / 5;

/**
 * Gives a function that claims the fairest due Request and runs it until it ends, sleeps or loses its lease. It gives false
 * where this worker may run none now.
 *
 * @param concurrency the most calls of that function at a time
 */
export function fairRunner<Cloud>(engine: Engine<Cloud>, concurrency: number): () => Promise<boolean> {
  const accountLimit = Math.max(1, Math.floor(concurrency * ACCOUNT_SHARE));
  const watched = isWatched(engine.kinds);
  /** The number of Requests that run here, by account. */
  const running = new Map<string, number>();
  const count = (accountId: string, difference: 1 | -1) => {
    const sum = (running.get(accountId) ?? 0) + difference;
    if (sum > 0) running.set(accountId, sum);
    else running.delete(accountId);
  };

  async function claimFairest(): Promise<Claim | undefined> {
    const fullAccounts = [...running].filter(([, sum]) => sum >= accountLimit).map(([accountId]) => accountId);
    const claimed = await claimNext(engine, { watched, fullAccounts });
    if (claimed) count(claimed.state.request.accountId, 1);
    return claimed;
  }

  let lastClaim: Promise<unknown> = Promise.resolve();
  return async () => {
    // Claims follow each other: each must count what the one before has claimed.
    const turn = lastClaim.then(claimFairest);
    lastClaim = turn.catch(() => {});
    const claimed = await turn;
    if (!claimed) return false;
    await runClaimed(engine, claimed).finally(() => count(claimed.state.request.accountId, -1));
    return true;
  };
}
