import type { BenchEnvironment, LaunchedProcess } from "../../load/bench-environment.js";
import type { Balancer } from "./load-balancer.js";

/** One place in the fleet and the builds that take it in turn. */
interface Slot {
  name: string;
  builds: string[];
  restarts: number;
  running: LaunchedProcess;
}

export interface Restart {
  slot: string;
  startMs: number;
  stopMs: number;
  exitCode: number | null;
}

const API = "apps/api/dist/main.js";
const WORKER = "apps/worker/dist/main.js";
const NARROW = "test/chaos/rolling-deploy/partial-worker.mjs";

/** Two APIs behind a balancer and three workers, replaced one at a time. */
export class Fleet {
  private readonly slots: Slot[] = [];

  constructor(
    private readonly bench: BenchEnvironment,
    private readonly balancer: Balancer,
    private readonly logFile: string,
  ) {}

  async start(): Promise<void> {
    for (const [name, ...builds] of [
      ["api 1", API],
      ["api 2", API],
      ["worker 1", WORKER],
      ["worker 2", WORKER, NARROW],
      ["worker 3", NARROW, WORKER],
    ] as const) {
      const running = await this.launch(builds[0]);
      if (builds[0] === API) this.balancer.add(running.url);
      this.slots.push({ name, builds: [...builds], restarts: 0, running });
    }
  }

  /** From now on the second and third worker are of this build at times. */
  admit(worker: string): void {
    for (const { name, builds } of this.slots) if (/worker [23]/.test(name)) builds.push(worker);
  }

  /** Puts another process in the place of the next one: before that one ends in every second round, and after it otherwise. */
  async restart(nth: number): Promise<Restart> {
    const slot = this.slots[nth % this.slots.length] as Slot;
    const isNewFirst = Math.floor(nth / this.slots.length) % 2 === 0;
    const build = slot.builds[++slot.restarts % slot.builds.length] as string;
    const { running: old } = slot;
    const start = async () => {
      const began = performance.now();
      slot.running = await this.launch(build);
      if (build === API) this.balancer.add(slot.running.url);
      return performance.now() - began;
    };
    const stop = async () => {
      const began = performance.now();
      const exitCode = await old.stop();
      if (build === API) this.balancer.remove(old.url);
      return { stopMs: performance.now() - began, exitCode };
    };
    if (isNewFirst) return { slot: slot.name, startMs: await start(), ...(await stop()) };
    const stopped = await stop();
    return { slot: slot.name, startMs: await start(), ...stopped };
  }

  private launch(build: string): Promise<LaunchedProcess> {
    const settings = { BASE_URL: this.balancer.url, AWS_VISIBILITY_SECONDS: "0", DRIFT_SECONDS: "0" };
    return this.bench.launch(build, [], settings, this.logFile);
  }
}
