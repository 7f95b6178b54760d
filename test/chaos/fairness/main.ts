import { readOptions, wholeNumber } from "../../support/command.js";
import { type FairnessResult, measureFairness } from "./measurement.js";

const USAGE = `Usage: npm run chaos:fairness [-- --workers N] [--creates N] [--samples N]

One account asks for thousands of servers, volumes and networks at once. Meanwhile another asks for single addresses, one
after the other. AWS holds both to the call rates that EC2 publishes. Promised are: the single ones are begun within a
second (99 of 100), and AWS throttles no call. Ends when the flood is accepted and so many
single ones are begun, and leaves the flood unfinished.

  --workers N   so many worker processes; may be given several times (1, 4 and 8)
  --creates N   how many the flood is (2000)
  --samples N   how many single creates are measured at least (150)`;

/** The longest that a single create may take from when it is accepted until a worker begins it, for 99 of 100. */
const MAX_START_MS = 1000;

const values = readOptions(USAGE, {
  workers: { type: "string", multiple: true },
  creates: { type: "string", default: "2000" },
  samples: { type: "string", default: "150" },
});

const runs = (values.workers ?? ["1", "4", "8"]).map((workers) => wholeNumber("workers", workers));
const creates = wholeNumber("creates", values.creates);
const samples = wholeNumber("samples", values.samples);

let isKept = true;
for (const workers of runs) {
  const result = await measureFairness({ workers, creates, samples });
  const wrong = findViolations(result);
  isKept &&= wrong.length === 0;
  printResult(workers, result, wrong);
}
process.exitCode = isKept ? 0 : 1;

function findViolations({ startMs, throttled, bulkUnfinished, bulkCalls }: FairnessResult): string[] {
  return [
    ...(startMs.p99 <= MAX_START_MS ? [] : [`single creates were begun after ${startMs.p99.toFixed(0)} ms (p99)`]),
    ...(throttled === 0 ? [] : [`AWS throttled ${throttled} calls`]),
    ...(bulkUnfinished > 0 && bulkCalls > 0 ? [] : ["the flood was not there to the end, so nothing was shown"]),
  ];
}

function printResult(workers: number, result: FairnessResult, wrong: string[]): void {
  const {
    singles,
    startMs,
    answerMs,
    seconds,
    bulkAccepted,
    bulkStarted,
    bulkUnfinished,
    calls,
    bulkCalls,
    throttled,
  } = result;
  const ms = (value: number) => `${value.toFixed(0)} ms`;
  console.log(`
${workers} worker ${workers === 1 ? "process" : "processes"}, ${seconds.toFixed(0)} s
  ${singles} single creates, accepted until begun: p50 ${ms(startMs.p50)}, p99 ${ms(startMs.p99)}, longest ${ms(startMs.max)}
  answered by the API: p50 ${ms(answerMs.p50)}, p99 ${ms(answerMs.p99)}, longest ${ms(answerMs.max)}
  flood: ${bulkAccepted} accepted, ${bulkStarted} begun, ${bulkUnfinished} unfinished at the end
  calls to AWS: ${calls}, of them the flood's ${bulkCalls}; throttled: ${throttled}
  ${wrong.length === 0 ? "kept" : `BROKEN: ${wrong.join("; ")}`}`);
}
