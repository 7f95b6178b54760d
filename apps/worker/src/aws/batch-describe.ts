import { setTimeout as sleep } from "node:timers/promises";
import DataLoader from "dataloader";
import type { Aws } from "./clients.js";

/** The time for which a batch collects ids. */
const BATCH_WINDOW_MS = 10;
/** The longest that a batch collects ids while an earlier call is under way. */
const MAX_DELAY_MS = 1000;
/** The most ids in one call. */
const MAX_BATCH = 100;

/**
 * Describes single objects by shared calls: ids of one provider and region that are requested within a few
 * milliseconds, or while an earlier call is under way, go into one call.
 *
 * @param describe makes that call, and returns the objects that AWS shows by their ids
 * @returns a function that describes one object; undefined if AWS does not show it
 */
export function batchDescribe<T>(
  describe: (aws: Aws, ids: string[]) => Promise<Map<string, T>>,
  { maxDelayMs = MAX_DELAY_MS } = {},
) {
  const loaders = new WeakMap<Aws, DataLoader<string, T | undefined>>();
  return (id: string) => (aws: Aws) => {
    const loader = loaders.get(aws) ?? createLoader((ids) => describe(aws, ids), maxDelayMs);
    loaders.set(aws, loader);
    return loader.load(id);
  };
}

function createLoader<T>(
  describe: (ids: string[]) => Promise<Map<string, T>>,
  maxDelayMs: number,
): DataLoader<string, T | undefined> {
  let pending: Promise<unknown> = Promise.resolve();
  const options = {
    cache: false,
    maxBatchSize: MAX_BATCH,
    batchScheduleFn: (callback: () => void) => {
      const earlier = Promise.race([pending, sleep(maxDelayMs, undefined, { ref: false })]);
      void Promise.all([earlier, sleep(BATCH_WINDOW_MS)]).then(callback);
    },
  };
  return new DataLoader<string, T | undefined>(async (ids) => {
    const describing = describe([...new Set(ids)]);
    pending = describing.catch(() => {});
    const objects = await describing;
    return ids.map((id) => objects.get(id));
  }, options);
}
