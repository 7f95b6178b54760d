// A worker that dies with each of its Requests at a given moment.
import { openDb } from "@gantry/db";
import type { Aws } from "../../../apps/worker/src/aws/clients.js";
import type { Engine } from "../../../apps/worker/src/engine/engine.js";
import { runAllToEnd, testAwsEngine } from "../../support/engine.js";
import { testEnv } from "../../support/stack.js";
import { instrumentStages } from "./instrumentation.js";
import { KILLED_EXIT_CODE, type KillJob, type KillPoint } from "./killable-worker-pool.js";
import { observePoints } from "./points.js";

process.once("disconnect", () => process.exit());
process.once("message", async (message) => {
  const { databaseUrl, baseUrl, points } = message as KillJob;
  const db = openDb(databaseUrl, 8);
  const env = testEnv({ url: databaseUrl, db, drop: () => db.$disconnect() }, { BASE_URL: baseUrl });
  const engine = instrumentStages(testAwsEngine({ db }, env));
  const reached = await Promise.all(points.map((fate) => runUntilPoint(engine, fate)));
  process.send?.(reached, () => process.exit(KILLED_EXIT_CODE));
});
process.send?.("ready");

/** Resolves when the run stands at its moment, where nothing of it moves any more, or has ended without it. */
function runUntilPoint(engine: Engine<Aws>, { accountId, requestId, point }: KillPoint): Promise<boolean> {
  return new Promise((resolve) => {
    let isDead = false;
    observePoints(requestId, (now) => {
      if (now === point) {
        isDead = true;
        resolve(true);
      }
      // The dead do nothing, not even what they had begun beside it.
      if (isDead) return new Promise(() => {});
    });
    const over = () => resolve(false);
    runAllToEnd(engine, accountId).then(over, over);
  });
}
