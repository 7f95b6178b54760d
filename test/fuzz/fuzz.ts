import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { readOptions, wholeNumber } from "../support/command.js";
import { installSchemathesis } from "./schemathesis.js";
import { startTarget, type Traffic } from "./target.js";

const USAGE = `Usage: npm run fuzz [-- --examples N] [--seed S] [--seconds T] [--calls N] [--short]

Validates the OpenAPI document, and has Schemathesis send inputs from the document to the API: no response may be a 5xx or
differ from the document. The same seed sends the same inputs.

  --examples N  the maximum number of inputs for an endpoint (100)
  --seed S      the seed of the inputs (1)
  --seconds T   ends the run after T seconds
  --calls N     goes on with further seeds until the API has answered N calls; no answer may take longer than 2 s, and the
                API's memory may not grow
  --short       the run of .ci/run: fewer inputs, in less than a minute`;

// These operations can revoke the caller's own access: they run last, with another caller.
const SELF_REVOKING = ["deleteToken", "updateMembership", "patchMembership", "deleteMembership"];

const values = readOptions(USAGE, {
  examples: { type: "string" },
  seed: { type: "string", default: "1" },
  seconds: { type: "string" },
  calls: { type: "string" },
  short: { type: "boolean", default: false },
});
const { short, seconds } = values;
const seed = wholeNumber("seed", values.seed);
const calls = values.calls === undefined ? 0 : wholeNumber("calls", values.calls);
const examples = values.examples ?? (short ? "5" : "100");

const MAX_ANSWER_MS = 2000;
/** Growth of the heap that is noise. */
const NOISE_MEGABYTES = 30;

const target = await startTarget();
let isOk = false;
try {
  const schemathesis = await installSchemathesis({ baseUrl: target.baseUrl, report: console.log });
  const timeLimit = seconds ? ["--max-time", seconds] : [];
  const phases = short ? "fuzzing" : "coverage,fuzzing,stateful";
  const others = SELF_REVOKING.flatMap((id) => ["--exclude-operation-id", id]);
  const selfRevoking = SELF_REVOKING.flatMap((id) => ["--include-operation-id", id]);
  const runRound = async (round: number) => {
    const common = ["--seed", String(seed + round), "--max-examples", examples];
    const [first, last] = [await target.addCaller(), await target.addCaller()];
    return (
      (await schemathesis.run(first, [...common, ...timeLimit, "--phases", phases, ...others])) &&
      (await schemathesis.run(last, [...common, "--phases", "fuzzing", ...selfRevoking]))
    );
  };
  isOk = await schemathesis.validate(target.document);
  const memory: number[] = [];
  for (let round = 0; isOk && (round === 0 || target.traffic.calls < calls); round++) {
    isOk = await runRound(round);
    memory.push(heapMegabytes());
    console.log(`${summaryOf(target.traffic)}; the heap holds ${memory.at(-1)?.toFixed(0)} MB`);
  }
  if (calls > 0) isOk &&= target.traffic.failures === 0 && target.traffic.longestMs <= MAX_ANSWER_MS && isFlat(memory);
} finally {
  await target.stop();
}
if (!isOk) console.error("The fuzzing found something; see above.");
process.exitCode = isOk ? 0 : 1;

/** The live objects of this process, which is the API's. */
function heapMegabytes(): number {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  return process.memoryUsage().heapUsed / 1024 / 1024;
}

/** Compares the first round, after which caches are filled, with the last. */
function isFlat(memory: number[]): boolean {
  return (memory.at(-1) ?? 0) <= (memory[0] ?? 0) + NOISE_MEGABYTES;
}

function summaryOf({ calls, failures, longestMs, longest }: Traffic): string {
  return `${calls} calls, ${failures} answers of 5xx, the longest answer ${longestMs.toFixed(0)} ms (${longest})`;
}
