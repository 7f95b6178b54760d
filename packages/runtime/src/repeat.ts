import { growingPauseMs } from "./growing-pause.js";
import type { Log } from "./log.js";
import { OutageLog } from "./outage-log.js";

/** Work that repeats. */
export interface Repetition {
  /** Does the work now, unless it is under way. */
  run(): void;
  /** Stops the repetition and resolves when the work under way has ended. */
  stop(): Promise<void>;
}

interface RepeatOptions {
  /** The pause between two runs. After several failures in a row it is longer, up to 10 s. */
  everyMs: number;
  log: Log;
  /** The work in a few words, such as `audit linking`. */
  name: string;
}

/**
 * Repeats `work`, and never does it twice at once. Of several failures in a row only the first is logged.
 *
 * @param work returns true if there is more to do at once
 */
export function repeat({ everyMs, log, name }: RepeatOptions, work: () => Promise<unknown>): Repetition {
  const outage = new OutageLog(log, name);
  let failures = 0;
  let timer: NodeJS.Timeout | undefined;
  let underWay: Promise<void> | undefined;
  let isStopped = false;

  const workOnce = async (): Promise<number> => {
    try {
      const isMore = await work();
      failures = 0;
      outage.worked();
      return isMore === true ? 0 : everyMs;
    } catch (error) {
      failures++;
      outage.failed(error);
      return Math.max(everyMs, growingPauseMs(failures));
    }
  };
  const run = () => {
    if (underWay || isStopped) return;
    clearTimeout(timer);
    underWay = workOnce().then((pauseMs) => {
      underWay = undefined;
      if (!isStopped) timer = setTimeout(run, pauseMs);
    });
  };
  timer = setTimeout(run, everyMs);
  return {
    run,
    stop: async () => {
      isStopped = true;
      clearTimeout(timer);
      await underWay;
    },
  };
}
