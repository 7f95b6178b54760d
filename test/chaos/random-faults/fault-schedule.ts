import { RandomSource } from "./random-source.js";

export const WORKERS = ["worker-1", "worker-2", "worker-3"] as const;
export const APIS = ["api-1", "api-2"] as const;

export type WorkerName = (typeof WORKERS)[number];
export type Target = WorkerName | (typeof APIS)[number] | "redis" | "postgres";

/** How AWS behaves from now on, to everybody. */
export const FAULT_PROFILES = [
  "calm",
  "losing answers",
  "throttling",
  "failing",
  "cutting",
  "slow",
  "unseeing",
] as const;
export type FaultProfile = (typeof FAULT_PROFILES)[number];

/** One thing that is done to the house, so long after the one before it. */
export type Fault = { afterMs: number } & (
  | { kind: "kill"; victim: Target }
  | { kind: "freeze" }
  | { kind: "flush" }
  | { kind: "weather"; weather: FaultProfile }
);

const OTHERS: readonly Target[] = [...APIS, "redis", "redis", "postgres", "postgres"];

/** The harms of a seed, with so many kills among them: half of them of workers. */
export function faultSchedule(seed: number, kills: number): Fault[] {
  const random = new RandomSource(seed, 0);
  return Array.from({ length: kills }, (): Fault[] => {
    const faults: Fault[] = [];
    if (random.percent(20)) faults.push({ afterMs: 0, kind: "weather", weather: random.pick(FAULT_PROFILES) });
    if (random.percent(10)) faults.push({ afterMs: random.between(0, 1000), kind: "freeze" });
    if (random.percent(8)) faults.push({ afterMs: random.between(0, 1000), kind: "flush" });
    const victim = random.percent(50) ? random.pick(WORKERS) : random.pick(OTHERS);
    return [...faults, { afterMs: random.between(300, 2500), kind: "kill", victim }];
  }).flat();
}

/** A harm in words. */
export function describeFault(fault: Fault): string {
  if (fault.kind === "weather") return `AWS: ${fault.weather}`;
  if (fault.kind === "freeze") return "freeze a worker that is having something made";
  return fault.kind === "flush" ? "FLUSHALL" : `kill ${fault.victim}`;
}
