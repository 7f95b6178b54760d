import { setTimeout as sleep } from "node:timers/promises";
import autocannon from "autocannon";
import { medianOf } from "./statistics.js";

const CONNECTIONS = 32;
/** Rounds that are not counted: the compiler is still at work in them. */
const WARM_UP = 2;

/** One server under load: what it is sent, and what makes each round start alike. */
export interface Target {
  input: Pick<autocannon.Options, "url" | "method" | "headers" | "body">;
  before?: () => Promise<void>;
}

export interface Throughput {
  perSecond: number;
  p99Ms: number;
}

/** Loads the targets in turn, round after round; medians. A round without load in between lets none disturb the next. */
export async function measureTraffic<Name extends string>(
  targets: Record<Name, Target>,
  { rounds, seconds }: { rounds: number; seconds: number },
): Promise<Record<Name, Throughput>> {
  const names = Object.keys(targets) as Name[];
  const seen = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Name, Throughput[]>;
  for (let round = -WARM_UP; round < rounds; round++) {
    for (const name of names) {
      const { input, before } = targets[name];
      await before?.();
      const throughput = await load(name, input, seconds);
      if (round >= 0) seen[name].push(throughput);
    }
  }
  const medians = names.map((name) => {
    const perSecond = medianOf(seen[name].map((round) => round.perSecond));
    return [name, { perSecond, p99Ms: medianOf(seen[name].map(({ p99Ms }) => p99Ms)) }];
  });
  return Object.fromEntries(medians) as Record<Name, Throughput>;
}

async function load(name: string, input: Target["input"], duration: number): Promise<Throughput> {
  const result = await autocannon({ ...input, duration, connections: CONNECTIONS });
  // What was under way when the time was over is still being answered.
  await sleep(300);
  if (result.errors > 0 || result.non2xx > 0 || result["2xx"] === 0) {
    throw new Error(`${name}: ${result["2xx"]} good answers, ${result.non2xx} others, ${result.errors} errors`);
  }
  return { perSecond: result["2xx"] / result.duration, p99Ms: result.latency.p99 };
}
