import { setTimeout as sleep } from "node:timers/promises";

/**
 * Returns a function that reads, and waits at most `limitMs` for the end. Calls during a read wait for that one, so that a
 * slow store never gets two.
 *
 * @param lostMs the age at which another read begins all the same: a connection that broke silently never answers
 * @returns undefined if the read fails or does not end in time
 */
export function sharedRead<T>(
  read: () => Promise<T>,
  { limitMs = 3000, lostMs = 60_000 } = {},
): () => Promise<T | undefined> {
  let current: { result: Promise<T | undefined>; startedAt: number } | undefined;
  const start = () => {
    const result = read()
      .catch(() => undefined)
      .finally(() => {
        if (current?.result === result) current = undefined;
      });
    return { result, startedAt: performance.now() };
  };
  return () => {
    if (!current || performance.now() - current.startedAt > lostMs) current = start();
    return Promise.race([current.result, sleep(limitMs, undefined, { ref: false })]);
  };
}
