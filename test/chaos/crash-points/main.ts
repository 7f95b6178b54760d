import { type RequestType, requestTypes } from "@gantry/requests";
import { quit, readOptions, wholeNumber } from "../../support/command.js";
import setUp from "../../support/start-stack.js";
import { formatTable } from "./result-table.js";

const USAGE = `Usage: npm run chaos:points [-- --type T] [--cancel] [--sample N] [--seed S] [--point NAME]

Runs every operation once and notes each moment before and after whatever its Request writes or does in AWS. Then a worker
process dies at each of these moments and another takes over: the Request must end well, with exactly one of everything.

  --type T      only this operation; may be given several times
  --cancel      instead: a cancel at each moment, and a refusal by AWS at each of its calls. Nothing may be left, or it
                must be named; a retry must then end well, with exactly one of everything
  --sample N    so many points, of all operations alike, chosen by the seed
  --seed S      (1)
  --point NAME  this point alone, as the output names it
  --together N  how many Requests one worker takes with it when it dies (8)
  --lanes N     how many such groups are played at once (3)`;

const values = readOptions(USAGE, {
  type: { type: "string", multiple: true },
  cancel: { type: "boolean", default: false },
  sample: { type: "string" },
  seed: { type: "string", default: "1" },
  point: { type: "string" },
  together: { type: "string", default: "8" },
  lanes: { type: "string", default: "3" },
});
const types = values.type ?? Object.keys(requestTypes);
const unknown = types.find((type) => !Object.hasOwn(requestTypes, type));
if (unknown) quit(`There is no operation "${unknown}".`);
const sample = values.sample === undefined ? undefined : wholeNumber("sample", values.sample);
const batchSize = wholeNumber("together", values.together);
const concurrency = wholeNumber("lanes", values.lanes);

const start = performance.now();
await setUp();
try {
  // The test support reads where its servers are when it is loaded.
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
  const isRight = result.results.every(({ isReached, violations }) => isReached && violations.length === 0);
  process.exitCode = isRight ? 0 : 1;
} finally {
  await globalThis.tearDownStack();
}
