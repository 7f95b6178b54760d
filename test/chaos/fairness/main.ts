import { readOptions, wholeNumber } from "../../support/command.js";
import { type FairnessResult, measureFairness } from "./measurement.js";

const USAGE = `Usage: npm run chaos:fairness [-- --workers N] [--creates N] [--samples N]

One account sends thousands of creates of servers, volumes and networks at once; another creates one address after the
other. AWS enforces the call rates that EC2 publishes. AWS must throttle no call. While the bulk creates have a
backlog, which many workers prevent, 99 of 100 single creates must start in a fifth of the time that half of the bulk
creates wait. Ends when all bulk creates are accepted and enough single ones have started, at most after ten minutes;
the bulk creates stay unfinished.

  --workers N   worker processes; may be given several times (1, 4 and 8)
  --creates N   bulk creates (2000)
  --samples N   single creates to measure, at least (150)`;

/** The wait of half of the bulk creates from which on there is a backlog that single creates could wait for. */
const BACKLOG_MS = 2000;
/** How many times longer half of the bulk creates wait for their start than 99 of 100 single ones, at least. */
const MIN_HEAD_START = 5;

const values = readOptions(USAGE, {
  workers: { type: "string", multiple: true },
  creates: { type: "string", default: "2000" },
  samples: { type: "string", default: "150" },
});

const runs = (values.workers ?? ["1", "4", "8"]).map((workers) => wholeNumber("workers", workers));
const creates = wholeNumber("creates", values.creates);
const samples = wholeNumber("samples", values.samples);

let [isPassed, hasCompared] = [true, false];
for (const workers of runs) {
  const result = await measureFairness({ workers, creates, samples });
  const violations = findViolations(result);
  isPassed &&= violations.length === 0;
  hasCompared ||= hasBacklog(result);
  printResult(workers, result, violations);
}
if (!hasCompared) console.log("FAILED: the bulk creates never had a backlog; use fewer workers or more creates");
process.exitCode = isPassed && hasCompared ? 0 : 1;

function hasBacklog({ bulkStartMs }: FairnessResult): boolean {
  return bulkStartMs.p50 >= BACKLOG_MS;
}

function findViolations(result: FairnessResult): string[] {
  const { startMs, bulkStartMs, throttled, bulkUnfinished, bulkCalls } = result;
  const isDelayed = hasBacklog(result) && startMs.p99 * MIN_HEAD_START > bulkStartMs.p50;
  return [
    ...(isDelayed ? ["single creates waited for the bulk creates"] : []),
    ...(result.singles < samples ? [`only ${result.singles} of ${samples} single creates in ten minutes`] : []),
    ...(throttled === 0 ? [] : [`AWS throttled ${throttled} calls`]),
    ...(bulkUnfinished > 0 && bulkCalls > 0 ? [] : ["the bulk creates ended too early: nothing was tested"]),
  ];
}

function printResult(workers: number, result: FairnessResult, violations: string[]): void {
  const { startMs, bulkStartMs, answerMs, bulkAccepted, bulkStarted, bulkUnfinished, calls, bulkCalls } = result;
  const ms = (value: number) => `${value.toFixed(0)} ms`;
  console.log(`
${workers} worker ${workers === 1 ? "process" : "processes"}, ${result.seconds.toFixed(0)} s
  ${result.singles} single creates, from acceptance to start: p50 ${ms(startMs.p50)}, p99 ${ms(startMs.p99)}, max ${ms(startMs.max)}
  answers of the API: p50 ${ms(answerMs.p50)}, p99 ${ms(answerMs.p99)}, max ${ms(answerMs.max)}
  bulk creates, from acceptance to start: p50 ${ms(bulkStartMs.p50)}, p99 ${ms(bulkStartMs.p99)}, max ${ms(bulkStartMs.max)}
  bulk creates: ${bulkAccepted} accepted, ${bulkStarted} started, ${bulkUnfinished} unfinished at the end
  calls to AWS: ${calls}, ${bulkCalls} of them for bulk creates; throttled: ${result.throttled}
  ${hasBacklog(result) ? "" : "the bulk creates had no backlog: only the calls were judged\n  "}${violations.length === 0 ? "passed" : `FAILED: ${violations.join("; ")}`}`);
}
