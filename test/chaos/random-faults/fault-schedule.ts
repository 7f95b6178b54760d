import { Dice } from "./random-source.js";

export const WORKERS = ["worker-1", "worker-2", "worker-3"] as const;
export const APIS = ["api-1", "api-2"] as const;

export type WorkerName = (typeof WORKERS)[number];
export type Victim = WorkerName | (typeof APIS)[number] | "redis" | "postgres";

/** How AWS behaves from now on, to everybody. */
export const WEATHERS = ["calm", "losing answers", "throttling", "failing", "cutting", "slow", "unseeing"] as const;
export type Weather = (typeof WEATHERS)[number];

/** One thing that is done to the house, so long after the one before it. */
export type Harm = { afterMs: number } & (
  | { kind: "kill"; victim: Victim }
  | { kind: "freeze" }
  | { kind: "flush" }
  | { kind: "weather"; weather: Weather }
);

const OTHERS: readonly Victim[] = [...APIS, "redis", "redis", "postgres", "postgres"];

/** The harms of a seed, with so many kills among them: half of them of workers. */
export function planHarms(seed: number, kills: number): Harm[] {
  const dice = new Dice(seed, 0);
  return Array.from({ length: kills }, (): Harm[] => {
    const harms: Harm[] = [];
    if (dice.percent(20)) harms.push({ afterMs: 0, kind: "weather", weather: dice.pick(WEATHERS) });
    if (dice.percent(10)) harms.push({ afterMs: dice.between(0, 1000), kind: "freeze" });
    if (dice.percent(8)) harms.push({ afterMs: dice.between(0, 1000), kind: "flush" });
    const victim = dice.percent(50) ? dice.pick(WORKERS) : dice.pick(OTHERS);
    return [...harms, { afterMs: dice.between(300, 2500), kind: "kill", victim }];
  }).flat();
}

/** A harm in words. */
export function nameOf(harm: Harm): string {
  if (harm.kind === "weather") return `AWS: ${harm.weather}`;
  if (harm.kind === "freeze") return "freeze a worker that is having something made";
  return harm.kind === "flush" ? "FLUSHALL" : `kill ${harm.victim}`;
}
