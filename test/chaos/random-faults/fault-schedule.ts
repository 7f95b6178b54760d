import { FAULT_PROFILES, type FaultProfile } from "./fault-profiles.js";
import { QUEUE_ACTS, type QueueAct } from "./queue-acts.js";
import { RandomSource } from "./random-source.js";

export const WORKERS = ["worker-1", "worker-2", "worker-3"] as const;
export const APIS = ["api-1", "api-2"] as const;

export type WorkerName = (typeof WORKERS)[number];
export type Target = WorkerName | (typeof APIS)[number] | "redis" | "postgres";

/** One fault, with its delay after the one before. */
export type Fault = { afterMs: number } & (
  | { kind: "kill"; target: Target }
  | { kind: "freeze" }
  | { kind: "flush" }
  | { kind: "queue act"; act: QueueAct }
  | { kind: "fault profile"; profile: FaultProfile }
);

const PROFILES = Object.keys(FAULT_PROFILES) as FaultProfile[];
const OTHERS: readonly Target[] = [...APIS, "redis", "redis", "postgres", "postgres"];

/** Draws the faults of a seed. Half of the `kills` hit workers. */
export function faultSchedule(seed: number, kills: number): Fault[] {
  const random = new RandomSource(seed, 0);
  return Array.from({ length: kills }, (): Fault[] => {
    const faults: Fault[] = [];
    if (random.percent(20)) faults.push({ afterMs: 0, kind: "fault profile", profile: random.pick(PROFILES) });
    if (random.percent(20)) faults.push({ afterMs: random.between(0, 1000), kind: "freeze" });
    if (random.percent(8)) faults.push({ afterMs: random.between(0, 1000), kind: "flush" });
    if (random.percent(15))
      faults.push({ afterMs: random.between(0, 1000), kind: "queue act", act: random.pick(QUEUE_ACTS) });
    const target = random.percent(50) ? random.pick(WORKERS) : random.pick(OTHERS);
    return [...faults, { afterMs: random.between(300, 2500), kind: "kill", target }];
  }).flat();
}

export function describeFault(fault: Fault): string {
  if (fault.kind === "fault profile") return `AWS: ${fault.profile}`;
  if (fault.kind === "freeze") return "freeze a worker during a create call";
  if (fault.kind === "queue act") return fault.act;
  return fault.kind === "flush" ? "FLUSHALL" : `kill ${fault.target}`;
}
