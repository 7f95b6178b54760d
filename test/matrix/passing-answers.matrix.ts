import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RequestType } from "@gantry/requests";
import { afterAll, expect, it } from "@jest/globals";
import { scenarios } from "../../apps/worker/src/workflows/all.scenarios.js";
import type { OnAwsCall } from "../support/aws-interceptor.js";
import { errorOf, internalError, type PassingAnswer, passingAnswers } from "../support/passing-answers.js";
import type { Scenario } from "../support/scenario.js";
import { endOf, goodEnd } from "../support/scenario-end.js";
import { scenarioRunner } from "../support/scenario-runner.js";

/** One call of a scenario's Request and the answer that AWS gives to it once. */
interface Cell {
  nth: number;
  operation: string;
  answer: PassingAnswer;
}

const CONCURRENCY = 4;
const { run, undisturbed, withCounts } = scenarioRunner({ callbacks: true });
const report: string[] = [];

for (const [type, scenario] of Object.entries(scenarios) as [RequestType, Scenario][]) {
  it(`ends ${type} well whichever of its calls AWS answers once with whichever passing answer`, async () => {
    const cells = await cellsOf(scenario);
    const remaining = cells.values();
    const runs: Awaited<ReturnType<typeof runCell>>[] = [];
    const work = async () => {
      for (const cell of remaining) runs.push(await runCell(scenario, cell));
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, work));
    const ends = (await withCounts(runs)).map(({ cell, isGiven, ...each }) => ({ cell, isGiven, ...endOf(each) }));
    const good = goodEnd(type, scenario);
    const bad = ends.filter(({ cell: _, isGiven: __, ...end }) => !isEqual(end, good));
    // Calls that depend on time, such as polls, are not the same ones in each run.
    const missed = ends.filter(({ isGiven }) => !isGiven).map(({ cell }) => textOf(cell));
    report.push(`| ${type} | ${cells.length} | ${missed.length} | ${bad.map(({ cell }) => textOf(cell)).join(", ")} |`);
    expect(bad).toEqual([]);
    expect(missed.length).toBeLessThanOrEqual(cells.length / 10);
  });
}

afterAll(() => {
  const folder = join(import.meta.dirname, "../../.gantry/matrix");
  mkdirSync(folder, { recursive: true });
  const head = ["| Request | cells | calls not made again | cells that ended badly |", "| --- | --- | --- | --- |"];
  writeFileSync(join(folder, "report.md"), `${[...head, ...report].join("\n")}\n`);
  process.stdout.write(`${[...head, ...report].join("\n")}\n`);
});

async function cellsOf(scenario: Scenario): Promise<Cell[]> {
  const { calls } = await undisturbed(scenario);
  return calls.slice(0, scenario.calls).flatMap(({ service, operation }, index) => {
    if (index % (scenario.oneIn ?? 1) > 0) return [];
    const answers = [internalError(service), ...passingAnswers(service, operation)];
    return answers.map((answer) => ({ nth: index + 1, operation, answer }));
  });
}

/** Runs the scenario and gives the cell's answer to its call, or to the next one of the same operation. */
async function runCell(scenario: Scenario, cell: Cell) {
  let isGiven = false;
  const onCall: OnAwsCall = (nth, side, command) => {
    if (isGiven || side === "after" || nth < cell.nth || command !== `${cell.operation}Command`) return;
    isGiven = true;
    throw errorOf(cell.answer);
  };
  const ended = await run(scenario, onCall);
  return { ...ended, cell, isGiven };
}

function textOf({ nth, operation, answer }: Cell): string {
  return `${nth} ${operation}: ${answer.code}`;
}

function isEqual(left: object, right: object): boolean {
  return expect.objectContaining(right).asymmetricMatch(left) && Object.keys(left).length === Object.keys(right).length;
}
