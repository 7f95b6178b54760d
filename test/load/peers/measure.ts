import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import autocannon from "autocannon";
import { until } from "../../support/until.js";
import type { BenchEnvironment } from "../bench-environment.js";
import { cpuSecondsOf } from "../process-cpu.js";
import { medianOf } from "../statistics.js";
import type { Engine } from "./engine.js";

const WARM_UP = 5;
const SINGLES = 15;
/** A kill comes when this share of all calls has arrived. */
const KILL_AT = 0.4;
const IDLE_SECONDS = 5;
const CONNECTIONS = 32;
/** Longer than any engine here waits until it repeats what a dead process has left: BullMQ and Temporal a minute. */
const QUIET_SECONDS = 120;
/** An engine may repeat a call for hours that AWS refuses each time. */
const PATIENCE_SECONDS = 180;
const KINDS = ["vpc", "subnet", "internet_gateway", "route_table"] as const;

/** The figures of one engine in one round. */
export interface PeerFigures {
  /** From starting the processes until the first network is accepted. */
  firstAcceptMs: number;
  /** From POST until the state is "finished", with one network at a time. */
  aloneMs: number;
  /** CPU of the engine's processes for a network, and with PostgreSQL and Redis. */
  cpuMs: number;
  cpuWithStoresMs: number;
  idleMb: number;
  acceptsPerSecond: number;
  /** From the kill until the next AWS call, with a new process started at once; null if none came. */
  takeoverMs: number | null;
  /** After the kill amid many networks: objects that a resource has twice in AWS, and networks by their end. */
  extraObjects: number;
  failed: number;
  unfinished: number;
}

/** Measures an engine in all respects; it has to be new. Every network is created through its HTTP surface. */
export async function measureEngine(
  bench: BenchEnvironment,
  engine: Engine,
  networks: number,
  progress: (step: string) => void,
): Promise<PeerFigures> {
  const { aws } = bench;
  const { accountId } = engine.awsAccount;

  progress("start");
  await engine.open();
  await engine.work();
  await createAll(WARM_UP);
  await engine.close();
  const started = performance.now();
  await engine.open();
  const first = await engine.create();
  const firstAcceptMs = performance.now() - started;
  await engine.work();
  await settle([first]);
  const warm = await lastSeq();
  await createAll(WARM_UP);
  const callsOfNetwork = (await aws.calls({ accountId, since: warm })).length / WARM_UP;

  progress("networks alone");
  const alone: number[] = [];
  for (let round = 0; round < SINGLES; round++) {
    const sent = performance.now();
    await settle([await engine.create()], 5);
    alone.push(performance.now() - sent);
  }

  progress("networks together");
  const before = cpu();
  await createAll(networks);
  const after = cpu();
  await sleep(IDLE_SECONDS * 1000);
  const idleMb = engine.pids().reduce((sum, pid) => sum + megabytesOf(pid), 0);

  progress("takeover");
  const takeoverMs = await takeover();

  progress("kill amid networks");
  const crash = await killAmid();

  progress("accepts");
  // AWS answers nothing, so that all engines only accept and begin.
  await aws.delay("*", 3_600_000, { accountId });
  await autocannon({ ...engine.input(), duration: 2, connections: CONNECTIONS });
  const traffic = await autocannon({ ...engine.input(), duration: 5, connections: CONNECTIONS });

  const perNetwork = (seconds: number) => (seconds * 1000) / networks;
  return {
    firstAcceptMs,
    aloneMs: medianOf(alone),
    cpuMs: perNetwork(after.engine - before.engine),
    cpuWithStoresMs: perNetwork(after.engine + after.stores - before.engine - before.stores),
    idleMb,
    acceptsPerSecond: traffic["2xx"] / traffic.duration,
    takeoverMs,
    ...crash,
  };

  async function create(count: number): Promise<string[]> {
    const ids: string[] = [];
    while (ids.length < count) {
      const batch = Array.from({ length: Math.min(10, count - ids.length) }, () => engine.create());
      ids.push(...(await Promise.all(batch)));
    }
    return ids;
  }

  async function createAll(count: number): Promise<void> {
    const { failed, unfinished } = await settle(await create(count));
    if (failed + unfinished > 0) throw new Error(`${failed} networks failed, ${unfinished} did not end`);
  }

  /** Waits until all networks have ended, at most `PATIENCE_SECONDS`; returns how many ended badly or not at all. */
  async function settle(ids: string[], everyMs = 100): Promise<{ failed: number; unfinished: number }> {
    let [open, failed] = [ids, 0];
    const end = Date.now() + PATIENCE_SECONDS * 1000;
    for (;;) {
      const states = await Promise.all(open.map((id) => engine.stateOf(id)));
      failed += states.filter((state) => state === "failed").length;
      open = open.filter((_, i) => states[i] === "running");
      if (open.length === 0 || Date.now() > end) return { failed, unfinished: open.length };
      await sleep(everyMs);
    }
  }

  async function takeover(): Promise<number | null> {
    const rule = await aws.delay("*", 1000, { accountId });
    let seq = await lastSeq();
    await engine.create();
    // One call of the first wave, and some of the second.
    await until(async () => (await aws.calls({ accountId, since: seq })).length > 3);
    await engine.kill();
    seq = await lastSeq(seq);
    const killed = Date.now();
    await engine.work();
    const next = await until(async () => {
      const [call] = await aws.calls({ accountId, since: seq });
      return call ?? (Date.now() - killed > QUIET_SECONDS * 1000 && "none");
    });
    await aws.clear({ accountId, id: rule });
    return next === "none" ? null : Date.parse(next.at) - killed;
  }

  async function killAmid() {
    const [since, had] = [await lastSeq(), await extraObjects()];
    const ids = await create(networks);
    await until(async () => (await aws.calls({ accountId, since })).length >= networks * callsOfNetwork * KILL_AT);
    await engine.kill();
    await engine.work();
    const ends = await settle(ids);
    return { extraObjects: (await extraObjects()) - had, ...ends };
  }

  /** Counts the objects that AWS has more than once for a resource. */
  async function extraObjects(): Promise<number> {
    const inventory = await aws.inventory(engine.awsAccount, { kinds: [...KINDS] });
    const resources = KINDS.flatMap((kind) => inventory[kind].map(({ tags }) => `${kind} ${tags["gantry:resource"]}`));
    return resources.length - new Set(resources).size;
  }

  async function lastSeq(since = 0): Promise<number> {
    return (await aws.calls({ accountId, since })).at(-1)?.seq ?? since;
  }

  function cpu() {
    const storePids = bench.stackProcesses
      .filter(({ name }) => name === "postgres" || name === "redis")
      .flatMap(({ pid }) => [pid, ...childrenOf(pid)]);
    return { engine: cpuSecondsOf(engine.pids()), stores: cpuSecondsOf(storePids) };
  }
}

function childrenOf(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
  return text ? text.split(" ").map(Number) : [];
}

/** Returns the memory of a process, with its part of what it shares. */
function megabytesOf(pid: number): number {
  const [, kilobytes] = /^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8")) ?? [];
  return Number(kilobytes) / 1024;
}
