import { type RequestType, requestTypes } from "@gantry/resources";
import { quit, readOptions, wholeNumber } from "../../support/command.js";
import setUp from "../../support/start-stack.js";
import { formatTable } from "./result-table.js";

const USAGE = `Usage: npm run chaos:points [-- --type T] [--cancel] [--sample N] [--seed S] [--point NAME]

Runs every request type once and records the points before and after each write and each call to AWS. Then kills a worker
process at each of these points and lets another take over: the Request must succeed with exactly one of everything.

  --type T         this request type; may be given several times (all)
  --cancel         instead of the kills: a cancel at each point, and a refusal by AWS at each call. The Request must leave
                   nothing in AWS, or name it; a retry must succeed with exactly one of everything
  --sample N       draws N points, evenly from all request types (all)
  --seed S         the seed of the sample (1)
  --point NAME     this point, named as in the output
  --batch N        Requests that one worker process runs when it is killed (8)
  --concurrency N  batches that run at the same time (3)`;

const values = readOptions(USAGE, {
  type: { type: "string", multiple: true },
  cancel: { type: "boolean", default: false },
  sample: { type: "string" },
  seed: { type: "string", default: "1" },
  point: { type: "string" },
  batch: { type: "string", default: "8" },
  concurrency: { type: "string", default: "3" },
});
const types = values.type ?? Object.keys(requestTypes);
const unknown = types.find((type) => !Object.hasOwn(requestTypes, type));
if (unknown) quit(`There is no request type "${unknown}".`);
const sample = values.sample === undefined ? undefined : wholeNumber("sample", values.sample);
const batchSize = wholeNumber("batch", values.batch);
const concurrency = wholeNumber("concurrency", values.concurrency);

const start = performance.now();
const tearDown = await setUp();
try {
  // The test support reads the addresses of its servers when it is loaded.
  const { runCampaign } = await import("./campaign.js");
  const result = await runCampaign({
    types: types as RequestType[],
    isCancelling: values.cancel,
    sample,
    seed: values.seed,
    point: values.point,
    batchSize,
    concurrency,
    log: console.log,
  });
  console.log(formatTable(result));
  console.log(`${((performance.now() - start) / 1000).toFixed(0)} s`);
  const isPassed = result.results.every(({ isReached, violations }) => isReached && violations.length === 0);
  process.exitCode = isPassed ? 0 : 1;
} finally {
  await tearDown();
}
