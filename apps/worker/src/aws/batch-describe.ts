import { setTimeout as sleep } from "node:timers/promises";
import DataLoader from "dataloader";
import type { Aws } from "./clients.js";

/** How long one who asks waits for others that ask the same, in milliseconds. */
const BATCH_WINDOW_MS = 10;
/** How long, at most, those who ask wait until an earlier call has ended, so as not to be one of many, in milliseconds. */
const MAX_DELAY_MS = 1000;
/** The most ids in one call. */
const MAX_BATCH = 100;

/**
 * Has all who wait for things of one kind share their describe calls: whatever is asked for within some milliseconds, or
 * while an earlier call waits for its turn or its answer, in one provider and region, is asked of AWS together. `describe`
 * gives what it found by id.
 */
export function batchDescribe<T>(describe: (aws: Aws, ids: string[]) => Promise<Map<string, T>>) {
  const loaders = new WeakMap<Aws, DataLoader<string, T | undefined>>();
  return (aws: Aws, id: string): Promise<T | undefined> => {
    let loader = loaders.get(aws);
    if (!loader) {
      let pending: Promise<unknown> = Promise.resolve();
      const options = {
        cache: false,
        maxBatchSize: MAX_BATCH,
        batchScheduleFn: (callback: () => void) => {
          const earlier = Promise.race([pending, sleep(MAX_DELAY_MS, undefined, { ref: false })]);
          void Promise.all([earlier, sleep(BATCH_WINDOW_MS)]).then(callback);
        },
      };
      loader = new DataLoader<string, T | undefined>(async (ids) => {
        const describing = describe(aws, [...new Set(ids)]);
        pending = describing.catch(() => {});
        const found = await describing;
        return ids.map((each) => found.get(each));
      }, options);
      loaders.set(aws, loader);
    }
    return loader.load(id);
  };
}
