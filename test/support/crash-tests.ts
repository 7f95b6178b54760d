import type { RequestType } from "@gantry/requests";
import { type Aws, classifyAwsError } from "@gantry/worker";
import type { Engine } from "@gantry/worker/engine";
import { describe, expect, it } from "@jest/globals";
import type { OnAwsCall } from "./aws-interceptor.js";
import { Crash } from "./engine.js";
import type { Counts, Scenario, Scenarios } from "./scenario.js";
import { endOf, goodEnd } from "./scenario-end.js";
import type { ScenarioRun, ScenarioRunner } from "./scenario-runner.js";

interface Outcome extends ScenarioRun {
  /** The interrupted call, such as `before call 3`. */
  point: string;
  counts: Counts;
}

/**
 * Tests every scenario: exactly one of everything is left whichever call to AWS its worker crashes at, and nothing
 * whichever call AWS refuses.
 */
export function testCrashes(scenarios: Scenarios, { run, undisturbed, withCounts }: ScenarioRunner): void {
  /** The number of the scenario's calls to interrupt. */
  async function callCountOf(scenario: Scenario): Promise<number> {
    const { calls, request, failedAssertion } = await undisturbed(scenario);
    expect(request).toMatchObject({ successful: true, message: null });
    expect(failedAssertion).toBeUndefined();
    return Math.min(calls.length, scenario.calls ?? calls.length);
  }

  /** Runs the scenario once for each of its calls and each of the sides, and interrupts it there. */
  async function runInterrupted(
    scenario: Scenario,
    sides: ("before" | "after")[],
    interrupt: () => never,
    classify?: Engine<Aws>["classify"],
  ): Promise<Outcome[]> {
    const calls = await callCountOf(scenario);
    const outcomes = [];
    for (let nth = 1; nth <= calls; nth += scenario.oneIn ?? 1) {
      const runs = sides.map(async (side) => {
        const onCall: OnAwsCall = (n, current) => {
          if (n === nth && current === side) interrupt();
        };
        return { point: `${side} call ${nth}`, ...(await run(scenario, onCall, classify)) };
      });
      outcomes.push(...(await Promise.all(runs)));
    }
    return withCounts(outcomes);
  }

  for (const [type, scenario] of Object.entries(scenarios) as [RequestType, Scenario][]) {
    const { afterFailure } = scenario;

    describe(type, () => {
      it("leaves exactly one of everything when its worker crashes before or after any call to AWS", async () => {
        const crash = () => {
          throw new Crash();
        };
        const outcomes = await runInterrupted(scenario, ["before", "after"], crash, (error) => {
          if (error instanceof Crash) throw error;
          return classifyAwsError(error);
        });
        for (const { point, ...outcome } of outcomes)
          expect({ point, ...endOf(outcome) }).toEqual({ point, ...goodEnd(type, scenario) });
      });

      if (!afterFailure) return;
      it("leaves nothing of its own when AWS refuses any of its calls", async () => {
        const refuse = () => {
          throw Object.assign(new Error("no"), { name: "UnauthorizedOperation", $metadata: {} });
        };
        for (const { point, counts, request } of await runInterrupted(scenario, ["before"], refuse)) {
          const { successful, message, leakedResources } = request;
          expect({ point, successful, message, leakedResources, counts }).toEqual({
            point,
            successful: false,
            message: "The provider's credentials lack a permission in AWS that this needs",
            leakedResources: [],
            counts: afterFailure,
          });
        }
      });
    });
  }
}
