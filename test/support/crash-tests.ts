import type { RequestType } from "@gantry/resources";
import { type Aws, classifyAwsError } from "@gantry/worker";
import type { Engine } from "@gantry/worker/engine";
import type { OnAwsCall } from "./aws-interceptor.js";
import { Crash } from "./engine.js";
import { sample } from "./sample.js";
import { type Counts, rightAfterFailure, type Scenario, type Scenarios } from "./scenario.js";
import { endOf, goodEnd } from "./scenario-end.js";
import type { ScenarioRun, ScenarioRunner } from "./scenario-runner.js";

/** The points of a scenario that `npm test` interrupts; campaigns interrupt every one. */
const SAMPLED_CRASHES = 1;
const SAMPLED_REFUSALS = 1;

/** Runs of a scenario at the same time. */
const CONCURRENCY = 2;

type Side = "before" | "after";

interface Point {
  nth: number;
  side: Side;
}

interface Outcome extends ScenarioRun {
  /** The interrupted call, such as `before call 3`. */
  point: string;
  counts: Counts;
}

/**
 * Tests every scenario: exactly one of everything is left whichever call to AWS its worker crashes at, and nothing
 * whichever call AWS refuses. `npm test` draws a few of the calls; the campaign "crashes" takes every one.
 */
export function testCrashes(scenarios: Scenarios, { run, undisturbed, withCounts }: ScenarioRunner): void {
  /** The points before or after each of the scenario's calls that are interrupted. */
  async function pointsOf(scenario: Scenario, sides: Side[]): Promise<Point[]> {
    const { calls, request, failedAssertion } = await undisturbed(scenario);
    expect(request).toMatchObject({ successful: true, message: null });
    expect(failedAssertion).toBeUndefined();
    const count = Math.min(calls.length, scenario.calls ?? calls.length);
    return Array.from({ length: count }, (_, index) => index + 1)
      .filter((nth) => (nth - 1) % (scenario.oneIn ?? 1) === 0)
      .flatMap((nth) => sides.map((side) => ({ nth, side })));
  }

  /** Runs the scenario once for each point, and interrupts it there. */
  async function runInterrupted(
    scenario: Scenario,
    points: Point[],
    interrupt: () => never,
    classify?: Engine<Aws>["classify"],
  ): Promise<Outcome[]> {
    const outcomes = [];
    for (let first = 0; first < points.length; first += CONCURRENCY) {
      const runs = points.slice(first, first + CONCURRENCY).map(async ({ nth, side }) => {
        const onCall: OnAwsCall = (n, current) => {
          if (n === nth && current === side) interrupt();
        };
        return { point: `${side} call ${nth}`, ...(await run(scenario, onCall, { classify })) };
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
        const points = sample(await pointsOf(scenario, ["before", "after"]), SAMPLED_CRASHES, `crash ${type}`);
        const outcomes = await runInterrupted(scenario, points, crash, (error) => {
          if (error instanceof Crash) throw error;
          return classifyAwsError(error);
        });
        for (const { point, ...outcome } of outcomes)
          expect({ point, ...endOf(outcome) }).toEqual({ point, ...goodEnd(type, scenario) });
      });

      if (!afterFailure) return;
      it("leaves nothing behind when AWS refuses any of its calls", async () => {
        const refuse = () => {
          throw Object.assign(new Error("no"), { name: "UnauthorizedOperation", $metadata: {} });
        };
        const points = sample(await pointsOf(scenario, ["before"]), SAMPLED_REFUSALS, `refusal ${type}`);
        for (const { point, counts, request } of await runInterrupted(scenario, points, refuse)) {
          const { successful, message, leakedResources } = request;
          expect({ point, successful, message, leakedResources, counts }).toEqual({
            point,
            successful: false,
            message: "The provider's credentials lack a required permission in AWS",
            leakedResources: [],
            counts: rightAfterFailure(scenario, counts),
          });
        }
      });
    });
  }
}
