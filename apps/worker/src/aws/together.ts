import DataLoader from "dataloader";
import type { Aws } from "./clients.js";

/** How long one who asks waits for others that ask the same, in milliseconds. */
const GATHERING_MS = 10;
/** The most ids in one call. */
const LARGEST_CALL = 100;

/**
 * Has all who wait for things of one kind share their describe calls: whatever is asked for within some milliseconds, in
 * one provider and region, is asked of AWS together. `describe` gives what it found by id.
 */
export function together<T>(describe: (aws: Aws, ids: string[]) => Promise<Map<string, T>>) {
  const loaders = new WeakMap<Aws, DataLoader<string, T | undefined>>();
  return (aws: Aws, id: string): Promise<T | undefined> => {
    let loader = loaders.get(aws);
    if (!loader) {
      const options = {
        cache: false,
        maxBatchSize: LARGEST_CALL,
        batchScheduleFn: (callback: () => void) => void setTimeout(callback, GATHERING_MS),
      };
      loader = new DataLoader<string, T | undefined>(async (ids) => {
        const found = await describe(aws, [...new Set(ids)]);
        return ids.map((each) => found.get(each));
      }, options);
      loaders.set(aws, loader);
    }
    return loader.load(id);
  };
}
