import { readOptions } from "../support/command.js";
import { installSchemathesis } from "./schemathesis.js";
import { startTarget } from "./target.js";

const USAGE = `Usage: npm run fuzz [-- --examples N] [--seed S] [--seconds T] [--short]

Checks the OpenAPI document with a validator that knows nothing of Gantry, and has Schemathesis drive the API from it:
no answer may be a 5xx, nor anything that the document does not say. The same seed asks the same things.

  --examples N  the most inputs for an endpoint (100)
  --seed S      (1)
  --seconds T   goes on for so long, whatever the number of inputs
  --short       what \`npm run verify\` does: fewer inputs, in less than a minute`;

// Whoever calls these may lock itself out: they come last, and for a caller of their own.
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
  const tool = await installSchemathesis({ baseUrl: target.baseUrl, report: console.log });
  const first = await target.addCaller();
  const last = await target.addCaller();
  const common = ["--seed", seed, "--max-examples", examples];
  const limited = seconds ? ["--max-time", seconds] : [];
  const phases = short ? "fuzzing" : "coverage,fuzzing,stateful";
  const others = SELF_REVOKING.flatMap((id) => ["--exclude-operation-id", id]);
  const those = SELF_REVOKING.flatMap((id) => ["--include-operation-id", id]);
  isOk =
    (await tool.validate(target.document)) &&
    (await tool.drive(first, [...common, ...limited, "--phases", phases, ...others])) &&
    (await tool.drive(last, [...common, "--phases", "fuzzing", ...those]));
} finally {
  await target.stop();
}
process.exitCode = isOk ? 0 : 1;
