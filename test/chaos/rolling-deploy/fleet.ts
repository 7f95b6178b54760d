import type { BenchEnvironment, LaunchedProcess } from "../../load/bench-environment.js";
import type { LoadBalancer } from "./load-balancer.js";

/** One member of the fleet, with the builds that it runs in turn. */
interface Member {
  name: string;
  builds: string[];
  restarts: number;
  running: LaunchedProcess;
}

export interface Restart {
  member: string;
  startMs: number;
  stopMs: number;
  exitCode: number | null;
}

const API = "apps/api/dist/main.js";
const WORKER = "apps/worker/dist/main.js";
const PARTIAL_WORKER = "test/chaos/rolling-deploy/partial-worker.mjs";

/** Two APIs behind a load balancer, and three workers. */
export class Fleet {
  private readonly members: Member[] = [];

  constructor(
    private readonly bench: BenchEnvironment,
    private readonly balancer: LoadBalancer,
    private readonly logFile: string,
  ) {}

  async start(): Promise<void> {
    for (const [name, ...builds] of [
      ["api 1", API],
      ["api 2", API],
      ["worker 1", WORKER],
      ["worker 2", WORKER, PARTIAL_WORKER],
      ["worker 3", PARTIAL_WORKER, WORKER],
    ] as const) {
      const running = await this.launch(builds[0]);
      if (builds[0] === API) this.balancer.add(running.url);
      this.members.push({ name, builds: [...builds], restarts: 0, running });
    }
  }

  /** Adds a build to the second and the third worker. */
  addWorkerBuild(worker: string): void {
    for (const { name, builds } of this.members) if (/worker [23]/.test(name)) builds.push(worker);
  }

  /** Replaces the next process. The new one starts before the old one stops in every second round, and after it otherwise. */
  async restart(nth: number): Promise<Restart> {
    const member = this.members[nth % this.members.length] as Member;
    const startsFirst = Math.floor(nth / this.members.length) % 2 === 0;
    const build = member.builds[++member.restarts % member.builds.length] as string;
    const { running: old } = member;
    const start = async () => {
      const began = performance.now();
      member.running = await this.launch(build);
      if (build === API) this.balancer.add(member.running.url);
      return performance.now() - began;
    };
    const stop = async () => {
      const began = performance.now();
      const exitCode = await old.stop();
      if (build === API) this.balancer.remove(old.url);
      return { stopMs: performance.now() - began, exitCode };
    };
    if (startsFirst) return { member: member.name, startMs: await start(), ...(await stop()) };
    const stopped = await stop();
    return { member: member.name, startMs: await start(), ...stopped };
  }

  private launch(build: string): Promise<LaunchedProcess> {
    const settings = { BASE_URL: this.balancer.url, AWS_VISIBILITY_SECONDS: "0", DRIFT_SECONDS: "0" };
    return this.bench.launch(build, [], settings, this.logFile);
  }
}
