import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { quit } from "../../support/command.js";
import { type BenchEnvironment, startBenchEnvironment } from "../bench-environment.js";
import { bundle } from "../build.js";
import { medianOf } from "../statistics.js";
import type { EngineKind } from "./engine.js";
import { gantry } from "./gantry.js";
import { measureEngine, type PeerFigures } from "./measure.js";
import { pictureOf } from "./picture.js";
import { installPeers, PEER_NAMES, peers } from "./programs.js";

const RESULTS = "bench-peers.json";
/** The README shows it. */
const PICTURE = "docs/peers.svg";
const ENGINE_NAMES = ["gantry", ...PEER_NAMES];

interface Options {
  only: string[] | undefined;
  rounds: number;
  networks: number;
}

/** What the rounds of one engine gave: figures of each round, or why it did not run. */
interface Outcome {
  version: string;
  rounds: PeerFigures[];
  notRun?: string;
}

/** Measures Gantry and its peers in turns; prints a table and writes all figures after each round. */
export async function benchPeers({ only, rounds, networks }: Options): Promise<void> {
  const names = only ?? ENGINE_NAMES;
  const unknown = names.find((name) => !ENGINE_NAMES.includes(name));
  if (unknown) quit(`There is no engine "${unknown}". The engines are: ${ENGINE_NAMES.join(", ")}.`);
  installPeers(names);
  bundle();
  const bench = await startBenchEnvironment();
  const outcomes: Record<string, Outcome> = {};
  try {
    const kinds: Record<string, EngineKind> = { gantry: gantry(bench), ...peers(bench) };
    for (const name of names) outcomes[name] = { version: kinds[name]?.version ?? "", rounds: [] };
    for (let round = 1; round <= rounds; round++) {
      for (const name of names) {
        const progress = (step: string) => console.log(`round ${round} of ${rounds}, ${name}: ${step}`);
        await measureOnce(bench, kinds[name] as EngineKind, outcomes[name] as Outcome, networks, progress);
      }
      const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim();
      const conditions = { commit, at: new Date().toISOString(), networks, loadAverage: loadavg() };
      writeFileSync(RESULTS, `${JSON.stringify({ ...conditions, engines: outcomes }, null, 2)}\n`);
    }
  } finally {
    await bench.stop();
  }
  const rows = Object.entries(outcomes).map(([engine, { rounds }]) => ({ engine, rounds }));
  const note = `${new Date().toISOString().slice(0, 10)}, the same calls to an emulated AWS; npm run bench -- --peers`;
  if (!only)
    writeFileSync(
      PICTURE,
      pictureOf(
        rows.filter(({ rounds }) => rounds.length > 0),
        networks,
        note,
      ),
    );
  console.log(`\n${table(outcomes, networks)}\n\nThe figures of every round are in ${RESULTS}.`);
}

async function measureOnce(
  bench: BenchEnvironment,
  kind: EngineKind,
  outcome: Outcome,
  networks: number,
  progress: (step: string) => void,
): Promise<void> {
  if (outcome.notRun) return;
  try {
    const engine = await kind.prepare();
    try {
      const figures = await measureEngine(bench, engine, networks, progress);
      outcome.rounds.push(figures);
      progress(JSON.stringify(figures));
    } finally {
      await engine.remove();
      await bench.aws.clear({ accountId: engine.awsAccount.accountId });
    }
  } catch (error) {
    const { message, cause } = error as Error;
    outcome.notRun = cause instanceof Error ? `${message}: ${cause.message}` : message;
    progress(`not run: ${outcome.notRun}`);
  }
}

type Cell = [heading: string, of: (rounds: PeerFigures[]) => string];

/** Returns the medians of all rounds, and the sums of what kills did, as a table of Markdown. */
function table(outcomes: Record<string, Outcome>, networks: number): string {
  const median = (name: keyof PeerFigures, digits = 0) => {
    return (rounds: PeerFigures[]) => medianOf(rounds.map((round) => Number(round[name]))).toFixed(digits);
  };
  const sum = (rounds: PeerFigures[], name: "extraObjects" | "failed" | "unfinished") =>
    rounds.reduce((total, round) => total + round[name], 0);
  const takeover = (rounds: PeerFigures[]) => {
    const times = rounds.flatMap(({ takeoverMs }) => takeoverMs ?? []);
    return times.length < rounds.length ? "none in 120 s" : `${(medianOf(times) / 1000).toFixed(1)} s`;
  };
  const cells: Cell[] = [
    ["alone, p50", (rounds) => `${median("aloneMs")(rounds)} ms`],
    ["CPU a network", (rounds) => `${median("cpuMs")(rounds)} ms`],
    ["with stores", (rounds) => `${median("cpuWithStoresMs")(rounds)} ms`],
    ["accepts a second", median("acceptsPerSecond")],
    ["first accept", (rounds) => `${median("firstAcceptMs")(rounds)} ms`],
    ["idle", (rounds) => `${median("idleMb")(rounds)} MB`],
    ["takeover", takeover],
    ["extra objects", (rounds) => String(sum(rounds, "extraObjects"))],
    ["failed", (rounds) => String(sum(rounds, "failed"))],
    ["unfinished", (rounds) => `${sum(rounds, "unfinished")} of ${rounds.length * networks}`],
  ];
  const rows = Object.entries(outcomes).map(([name, { version, rounds, notRun }]) => {
    const figures = cells.map(([, of], i) => (rounds.length > 0 ? of(rounds) : i === 0 ? `not run: ${notRun}` : ""));
    return [`${name} ${version}`, ...figures];
  });
  const heading = ["engine", ...cells.map(([name]) => name)];
  return [heading, heading.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");
}
