import { setTimeout as sleep } from "node:timers/promises";
import autocannon from "autocannon";
import { medianOf } from "./statistics.js";

const CONNECTIONS = 32;
/** The number of first rounds to ignore, in which the JIT compiler optimizes. */
const WARM_UP = 2;

/** A server under load: its requests, and the preparation of each round. */
export interface Target {
  input: Pick<autocannon.Options, "url" | "method" | "headers" | "body">;
  before?: () => Promise<void>;
}

export interface Throughput {
  perSecond: number;
  p99Ms: number;
}

/** Loads the targets alternately, round by round, and returns the medians. */
export async function measureTraffic<Name extends string>(
  targets: Record<Name, Target>,
  { rounds, seconds }: { rounds: number; seconds: number },
): Promise<Record<Name, Throughput>> {
  const names = Object.keys(targets) as Name[];
  const results = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Name, Throughput[]>;
  for (let round = -WARM_UP; round < rounds; round++) {
    for (const name of names) {
      const { input, before } = targets[name];
      await before?.();
      const throughput = await load(name, input, seconds);
      if (round >= 0) results[name].push(throughput);
    }
  }
  const medians = names.map((name) => {
    const perSecond = medianOf(results[name].map((round) => round.perSecond));
    return [name, { perSecond, p99Ms: medianOf(results[name].map(({ p99Ms }) => p99Ms)) }];
  });
  return Object.fromEntries(medians) as Record<Name, Throughput>;
}

async function load(name: string, input: Target["input"], duration: number): Promise<Throughput> {
  const result = await autocannon({ ...input, duration, connections: CONNECTIONS });
  // The server still handles the requests that were in flight at the end of the round.
  await sleep(300);
  if (result.errors > 0 || result.non2xx > 0 || result["2xx"] === 0) {
    throw new Error(`${name}: ${result["2xx"]} responses of 2xx, ${result.non2xx} others, ${result.errors} errors`);
  }
  return { perSecond: result["2xx"] / result.duration, p99Ms: result.latency.p99 };
}
