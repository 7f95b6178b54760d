import { setTimeout as sleep } from "node:timers/promises";
import type { Db } from "@gantry/db";
import { removeOldAlerts, removeOldFindings } from "./old-findings.js";
import { accountsWithOldRequests, type RequestCursor, removeOldRequests } from "./old-requests.js";
import { claimPass, type Pass, releasePass } from "./pass-lease.js";

const BATCH = 200;
/** The pause after a batch, as a multiple of the time that it took: a pass uses a fifth of one connection's time. */
const PAUSE = 4;
const MAX_PAUSE_MS = 30_000;
const NAME = "requests";

/** The rules of a pass. `pause` is a multiple of the time that each batch took. */
export interface RetentionRules {
  days: number;
  size?: number;
  pause?: number;
}

/**
 * Runs one pass if it is due and no other worker runs it. Ends it early if `stopping` is aborted or another worker has
 * taken it over.
 *
 * @returns the number of removed Requests; undefined if no pass was due
 */
export async function runRetentionPass(
  db: Db,
  rules: RetentionRules,
  stopping: AbortSignal,
): Promise<number | undefined> {
  const pass = await claimPass(db, NAME);
  if (!pass) return undefined;
  const progress = { removed: 0, isComplete: false };
  try {
    await removeAll(db, rules, { pass, progress, stopping });
    progress.isComplete = !stopping.aborted;
  } finally {
    await releasePass(db, pass, progress);
  }
  return progress.removed;
}

interface Run {
  pass: Pass;
  progress: { removed: number };
  stopping: AbortSignal;
}

async function removeAll(db: Db, { days, size = BATCH, pause = PAUSE }: RetentionRules, run: Run): Promise<void> {
  const { pass, progress, stopping } = run;
  const inPace = <Result>(work: () => Promise<Result>) => withPause(work, pause, stopping);
  for (const accountId of await accountsWithOldRequests(db, days)) {
    let after: RequestCursor | null | undefined;
    do {
      if (stopping.aborted) return;
      const from = { accountId, days, size, after: after ?? undefined };
      const batch = await inPace(() => removeOldRequests(db, from, pass, progress.removed));
      if (!batch) return;
      progress.removed += batch.removed;
      after = batch.next;
    } while (after);
  }
  for (const remove of [removeOldAlerts, removeOldFindings]) {
    while (!stopping.aborted && (await inPace(() => remove(db, days, size))) === size);
  }
}

/** Does the work and then pauses for a multiple of the time that it took. */
async function withPause<Result>(work: () => Promise<Result>, pause: number, stopping: AbortSignal): Promise<Result> {
  const start = performance.now();
  const result = await work();
  const pauseMs = Math.min(MAX_PAUSE_MS, pause * (performance.now() - start));
  await sleep(pauseMs, undefined, { signal: stopping }).catch(() => {});
  return result;
}
