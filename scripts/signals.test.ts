import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { runsEveryCase, sample } from "../test/support/sample.js";
import { until } from "../test/support/until.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const { DATABASE_URL: _, REDIS_URL: __, AWS_ENDPOINT_URL: ___, ...env } = process.env;

/** Each process of the command, from npm down to the task, and those that the task started. */
interface Command {
  npm: number;
  shell: number;
  run: number;
  task: number;
  /** The task's own processes with their arguments. */
  started: Running[];
}

interface Running {
  pid: number;
  parent: number;
  args: string;
}

const commands: ChildProcess[] = [];
afterEach(async () => {
  const left = commands.splice(0).flatMap(({ pid }) => runningBelow(pid ?? 0));
  for (const { pid } of left) kill(pid, "SIGTERM");
});

function runningProcesses(): Running[] {
  const { stdout } = spawnSync("ps", ["-A", "-o", "pid=,ppid=,stat=,args="], { encoding: "utf8" });
  return [...stdout.matchAll(/^ *(\d+) +(\d+) +([^ ]+) +(.*)$/gm)]
    .filter(([, , , state]) => !state?.startsWith("Z"))
    .map(([, pid, parent, , args = ""]) => ({ pid: Number(pid), parent: Number(parent), args }));
}

function runningBelow(pid: number, all = runningProcesses()): Running[] {
  return all.filter(({ parent }) => parent === pid).flatMap((child) => [child, ...runningBelow(child.pid, all)]);
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** Runs the demo, which is `npm start` with data and its own port, until all its processes run. */
async function startDemo(): Promise<Command> {
  const npm = spawn("npm", ["run", "demo"], { cwd: root, env, stdio: ["ignore", "pipe", "inherit"] });
  commands.push(npm);
  let output = "";
  npm.stdout.setEncoding("utf8").on("data", (text) => {
    output += text;
  });
  await until(async () => {
    if (npm.exitCode !== null) throw new Error(`The demo ended:\n${output}`);
    return output.includes("is ready after");
  });
  const all = runningBelow(npm.pid ?? 0);
  const pidOf = (parent: number) => all.find((each) => each.parent === parent)?.pid ?? 0;
  const shell = pidOf(npm.pid ?? 0);
  const run = pidOf(shell);
  const task = pidOf(run);
  return { npm: npm.pid ?? 0, shell, run, task, started: runningBelow(task) };
}

function ended(pids: number[]): Promise<boolean> {
  return until(async () => !runningProcesses().some(({ pid }) => pids.includes(pid)));
}

const CASES: [NodeJS.Signals, "npm" | "shell" | "run" | "task"][] = [
  ["SIGTERM", "npm"],
  ["SIGINT", "npm"],
  ["SIGTERM", "shell"],
  ["SIGTERM", "run"],
  ["SIGTERM", "task"],
  ["SIGKILL", "npm"],
  ["SIGKILL", "run"],
  ["SIGKILL", "task"],
];

// Each case starts everything that Gantry needs: `npm test` draws one.
it.each(sample(CASES, 1, "signals"))(
  "%s to the %s of a command ends each process that it started",
  async (signal, target) => {
    const demo = await startDemo();
    const { npm, shell, run, task, started } = demo;
    // PostgreSQL, Redis, moto, the proxy, the API, a worker and the reaper.
    expect(started.filter(({ parent }) => parent === task).length).toBeGreaterThanOrEqual(7);
    kill(demo[target], signal);
    expect(await ended([npm, shell, run, task, ...started.map(({ pid }) => pid)])).toBe(true);
  },
);

if (runsEveryCase)
  it("cleans up after a command whose processes were killed together with their reaper", async () => {
    const { npm, shell, run, task, started } = await startDemo();
    const reaper = started.find(({ args }) => args.includes("processes/reaper"))?.pid ?? 0;
    for (const pid of [reaper, npm, shell, run, task]) kill(pid, "SIGKILL");
    await ended([reaper, npm, shell, run, task]);
    const postgres = started.find(({ args }) => args.includes("listen_addresses"))?.pid ?? 0;
    expect(runningProcesses().map(({ pid }) => pid)).toContain(postgres);
    const next = await startDemo();
    expect(await ended(started.map(({ pid }) => pid))).toBe(true);
    kill(next.npm, "SIGTERM");
    expect(await ended([next.task, ...next.started.map(({ pid }) => pid)])).toBe(true);
  });
