// A worker that dies with each of its Requests at a given moment.
import { openDb } from "@gantry/db";
import type { Aws } from "../../../apps/worker/src/aws/clients.js";
import type { Engine } from "../../../apps/worker/src/engine/engine.js";
import { quietAwsEngine, runAllToEnd } from "../../support/engine.js";
import { testEnv } from "../../support/stack.js";
import { withWatchedStages } from "./instrumentation.js";
import { DIED, type Errand, type Fate } from "./killable-worker-pool.js";
import { watch } from "./points.js";

process.once("disconnect", () => process.exit());
process.once("message", async (message) => {
  const { databaseUrl, baseUrl, fates } = message as Errand;
  const db = openDb(databaseUrl, 8);
  const env = testEnv({ url: databaseUrl, db, drop: () => db.$disconnect() }, { BASE_URL: baseUrl });
  const engine = withWatchedStages(quietAwsEngine({ db }, env));
  const reached = await Promise.all(fates.map((fate) => meet(engine, fate)));
  process.send?.(reached, () => process.exit(DIED));
});
process.send?.("ready");

/** Resolves when the run stands at its moment, where nothing of it moves any more, or has ended without it. */
function meet(engine: Engine<Aws>, { accountId, requestId, moment }: Fate): Promise<boolean> {
  return new Promise((resolve) => {
    let isDead = false;
    watch(requestId, (now) => {
      if (now === moment) {
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
