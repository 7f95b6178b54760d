import { readOptions } from "../support/command.js";
import { installSchemathesis } from "./schemathesis.js";
import { startTarget } from "./target.js";

const USAGE = `Usage: npm run fuzz [-- --examples N] [--seed S] [--seconds T] [--short]

Validates the OpenAPI document, and has Schemathesis send inputs from the document to the API: no response may be a 5xx or
differ from the document. The same seed sends the same inputs.

  --examples N  the maximum number of inputs for an endpoint (100)
  --seed S      the seed of the inputs (1)
  --seconds T   ends the run after T seconds
  --short       the run of \`npm run verify\`: fewer inputs, in less than a minute`;

// These operations can revoke the caller's own access: they run last, with another caller.
const SELF_REVOKING = ["deleteTokensToken", "putMembershipsMembership", "deleteMembershipsMembership"];

const values = readOptions(USAGE, {
  examples: { type: "string" },
  seed: { type: "string", default: "1" },
  seconds: { type: "string" },
  short: { type: "boolean", default: false },
});
const { short, seed, seconds } = values;
const examples = values.examples ?? (short ? "5" : "100");

const target = await startTarget();
let isOk = false;
try {
  const schemathesis = await installSchemathesis({ baseUrl: target.baseUrl, report: console.log });
  const first = await target.addCaller();
  const last = await target.addCaller();
  const common = ["--seed", seed, "--max-examples", examples];
  const timeLimit = seconds ? ["--max-time", seconds] : [];
  const phases = short ? "fuzzing" : "coverage,fuzzing,stateful";
  const others = SELF_REVOKING.flatMap((id) => ["--exclude-operation-id", id]);
  const selfRevoking = SELF_REVOKING.flatMap((id) => ["--include-operation-id", id]);
  isOk =
    (await schemathesis.validate(target.document)) &&
    (await schemathesis.run(first, [...common, ...timeLimit, "--phases", phases, ...others])) &&
    (await schemathesis.run(last, [...common, "--phases", "fuzzing", ...selfRevoking]));
} finally {
  await target.stop();
}
process.exitCode = isOk ? 0 : 1;
