import type { RequestType } from "@gantry/resources";
import { scenarios } from "../../apps/worker/src/workflows/all.scenarios.js";
import type { OnAwsCall } from "../support/aws-interceptor.js";
import { errorOf, internalError, type PassingAnswer, passingAnswers } from "../support/passing-answers.js";
import type { Scenario } from "../support/scenario.js";
import { endOf, goodEnd } from "../support/scenario-end.js";
import { type ScenarioRunner, scenarioRunner } from "../support/scenario-runner.js";

/** The nth call of an operation by a scenario's Request, and the answer that AWS sends to it once. */
interface Cell {
  operation: string;
  nth: number;
  answer: PassingAnswer;
}

const CONCURRENCY = 4;
/** No limit for one type: the campaign as a whole has one. */
const LIMIT_MS = 3_600_000;

beforeAll(() =>
  write("| Request | cells | calls not made again | cells that ended badly |", "| --- | --- | --- | --- |"),
);

// Each type has an AWS account of its own: the emulator becomes slow with what thousands of runs leave in one.
describe.each(Object.entries(scenarios) as [RequestType, Scenario][])("%s", (type, scenario) => {
  const runner = scenarioRunner({ callbacks: true });

  it(
    "ends well if AWS answers any of its calls once with any transient error",
    () => testCells(type, scenario, runner),
    LIMIT_MS,
  );
});

async function testCells(type: RequestType, scenario: Scenario, runner: ScenarioRunner): Promise<void> {
  const cells = await cellsOf(scenario, runner);
  const remaining = cells.values();
  const runs: Awaited<ReturnType<typeof runCell>>[] = [];
  const work = async () => {
    for (const cell of remaining) runs.push(await runCell(scenario, cell, runner));
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  // Runs beside each other share reads, so that a call which an undisturbed run makes may not come: such cells run alone.
  const made = runs.filter(({ isGiven }) => isGiven);
  for (const { cell, isGiven } of runs) if (!isGiven) made.push(await runCell(scenario, cell, runner));
  const counted = await runner.withCounts(made);
  const ends = counted.map(({ cell, isGiven, ...each }) => ({ cell, isGiven, ...endOf(each) }));
  const good = goodEnd(type, scenario);
  const bad = ends.filter(({ cell: _, isGiven: __, ...end }) => !isEqual(end, good));
  // Calls that depend on time, such as polls, are not the same ones in each run.
  const missed = ends.filter(({ isGiven }) => !isGiven).map(({ cell }) => textOf(cell));
  write(`| ${type} | ${cells.length} | ${missed.join(", ")} | ${bad.map(({ cell }) => textOf(cell)).join(", ")} |`);
  expect(bad).toEqual([]);
  expect(missed.slice(0, Math.floor(cells.length / 10))).toEqual(missed);
}

/** Shows the table as it grows, since the campaign is long. */
function write(...rows: string[]): void {
  process.stdout.write(`${rows.join("\n")}\n`);
}

async function cellsOf(scenario: Scenario, { run, undisturbed }: ScenarioRunner): Promise<Cell[]> {
  // The first run reads what the installation keeps, such as facts about instance types; later ones do not.
  await undisturbed(scenario);
  const { calls } = await run(scenario, () => {});
  const counts = new Map<string, number>();
  return calls.slice(0, scenario.calls).flatMap(({ service, operation }) => {
    const nth = (counts.get(operation) ?? 0) + 1;
    counts.set(operation, nth);
    const answers = [internalError(service), ...passingAnswers(service, operation)];
    return answers.map((answer) => ({ operation, nth, answer }));
  });
}

async function runCell(scenario: Scenario, cell: Cell, { run }: ScenarioRunner) {
  let count = 0;
  const onCall: OnAwsCall = (_nth, side, command) => {
    if (side === "after" || command !== `${cell.operation}Command` || ++count !== cell.nth) return;
    throw errorOf(cell.answer);
  };
  const ended = await run(scenario, onCall);
  return { ...ended, cell, isGiven: count >= cell.nth };
}

function textOf({ nth, operation, answer }: Cell): string {
  return `${operation} ${nth}: ${answer.code}`;
}

function isEqual(left: object, right: object): boolean {
  return expect.objectContaining(right).asymmetricMatch(left) && Object.keys(left).length === Object.keys(right).length;
}
