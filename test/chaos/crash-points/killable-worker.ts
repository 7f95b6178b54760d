// A worker process that runs each Request of a batch up to a given point and then exits.
import { connectDb } from "@gantry/db";
import type { Aws } from "@gantry/worker";
import type { Engine } from "@gantry/worker/engine";
import { testAwsEngine } from "../../support/aws-engine.js";
import { runAllToEnd } from "../../support/engine.js";
import { testEnv } from "../../support/stack.js";
import { instrumentStages } from "./instrumentation.js";
import { KILLED_EXIT_CODE, type KillJob, type KillPoint } from "./killable-worker-pool.js";
import { observePoints } from "./points.js";

process.once("disconnect", () => process.exit());
process.once("message", async (message) => {
  const { databaseUrl, baseUrl, points } = message as KillJob;
  const db = connectDb(databaseUrl, 8);
  const env = testEnv({ url: databaseUrl }, { BASE_URL: baseUrl });
  const engine = instrumentStages(testAwsEngine({ db }, env));
  const reached = await Promise.all(points.map((each) => runUntilPoint(engine, each)));
  process.send?.(reached, () => process.exit(KILLED_EXIT_CODE));
});
process.send?.("ready");

/** Runs a Request until it has ended or is stopped at its point. Returns whether it reached the point. */
function runUntilPoint(engine: Engine<Aws>, { accountId, requestId, point }: KillPoint): Promise<boolean> {
  return new Promise((resolve) => {
    let isStopped = false;
    observePoints(requestId, (current) => {
      if (current === point) {
        isStopped = true;
        resolve(true);
      }
      // The parallel steps of the run stop too.
      if (isStopped) return new Promise(() => {});
    });
    const end = () => resolve(false);
    runAllToEnd(engine, accountId).then(end, end);
  });
}
