import { type RequestType, requestTypes } from "@gantry/resources";
import type { Counts, Scenario } from "./scenario.js";
import type { ScenarioRun } from "./scenario-runner.js";

/** The end of a scenario's run, in the form of `goodEnd`. */
export function endOf({ request, counts, failedAssertion }: ScenarioRun & { counts: Counts }) {
  const { successful, stage, message } = request;
  return { successful, message, stage, counts, failedAssertion };
}

/** The end of an undisturbed run of a scenario. */
export function goodEnd(type: RequestType, { afterSuccess }: Scenario) {
  const stage = requestTypes[type].stages.at(-1);
  return { successful: true, message: null, stage, counts: afterSuccess, failedAssertion: undefined };
}
