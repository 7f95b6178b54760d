/** Work that repeats. */
export interface Repetition {
  /** Does the work now, unless it is under way. */
  run(): void;
  /** Stops the repetition and resolves when the work under way has ended. */
  stop(): Promise<void>;
}

/**
 * Runs `work` at an interval, and never twice at once.
 *
 * @param onError called with each failure; the next attempt follows
 */
export function repeat(intervalMs: number, work: () => Promise<void>, onError: (error: unknown) => void): Repetition {
  let underWay: Promise<void> | undefined;
  const run = () => {
    underWay ??= work()
      .catch(onError)
      .finally(() => {
        underWay = undefined;
      });
  };
  const timer = setInterval(run, intervalMs);
  return {
    run,
    stop: async () => {
      clearInterval(timer);
      await underWay;
    },
  };
}
