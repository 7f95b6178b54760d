import type { RequestType } from "@gantry/resources";
import type { OnAwsCall, ServiceName } from "./aws-interceptor.js";
import { errorOf, internalError, type PassingAnswer, passingAnswers } from "./passing-answers.js";
import { sample } from "./sample.js";
import type { Scenario, Scenarios } from "./scenario.js";
import { endOf, goodEnd } from "./scenario-end.js";
import type { ScenarioRun, ScenarioRunner } from "./scenario-runner.js";

/**
 * A stage has a limited number of tries without progress: an internal error uses up one try, the other answers do not.
 */
const INTERNAL_ONE_IN = 3;

/** The rounds of a scenario that `npm test` draws. */
const SAMPLED_ROUNDS = 1;

/** The answer to the nth different call of a run, or undefined if AWS executes the call. */
type Round = (service: ServiceName, operation: string, nth: number) => PassingAnswer | undefined;

interface RoundRun extends ScenarioRun {
  /** The answers that AWS sent instead of its normal ones. */
  given: string[];
}

/**
 * Tests every scenario: its Request ends well although AWS answers each of its calls once with what passes. Each run
 * answers all calls with the nth of their passing answers; the campaign "passing-answers" changes one answer at one call of a
 * run.
 */
export function testPassingAnswers(scenarios: Scenarios, { run, undisturbed, withCounts }: ScenarioRunner): void {
  for (const [type, scenario] of Object.entries(scenarios) as [RequestType, Scenario][]) {
    it(`completes ${type} although AWS answers each of its calls once with a transient error`, async () => {
      const { calls } = await undisturbed(scenario);
      const counts = calls
        .slice(0, scenario.calls)
        .map(({ service, operation }) => passingAnswers(service, operation).length);
      const rounds: Round[] = Array.from({ length: Math.max(0, ...counts) }, (_, index) => nthAnswers(index));
      // If children make most calls, a run is long, and their own scenarios cover these calls.
      if (calls.length > 0 && !scenario.calls) rounds.push(internalErrors);
      const drawn = sample(rounds, SAMPLED_ROUNDS, `passing answers ${type}`);
      const runs = await withCounts(await Promise.all(drawn.map((round) => runRound(scenario, round))));
      for (const { given, ...each } of runs)
        expect({ given, ...endOf(each) }).toEqual({ given, ...goodEnd(type, scenario) });
      // Without an answer a round proves nothing.
      expect(runs.filter(({ given }) => given.length === 0)).toEqual([]);
    });
  }

  async function runRound(scenario: Scenario, round: Round): Promise<RoundRun> {
    const { calls = Number.POSITIVE_INFINITY } = scenario;
    const seen = new Set<string>();
    const given: string[] = [];
    const onCall: OnAwsCall = (_nth, side, command, { service, input }) => {
      const call = `${command} ${JSON.stringify(input, withoutPassword)}`;
      if (side === "after" || seen.has(call) || seen.size >= calls) return;
      seen.add(call);
      const operation = command.replace(/Command$/, "");
      const answer = round(service, operation, seen.size);
      if (!answer) return;
      given.push(`${operation}: ${answer.code}`);
      throw errorOf(answer);
    };
    return { ...(await run(scenario, onCall)), given };
  }
}

/** Each try to create a database has its own password. */
const withoutPassword = (name: string, value: unknown) => (name === "MasterUserPassword" ? undefined : value);

const nthAnswers =
  (index: number): Round =>
  (service, operation) =>
    passingAnswers(service, operation)[index];

const internalErrors: Round = (service, _operation, nth) =>
  nth % INTERNAL_ONE_IN === 1 ? internalError(service) : undefined;
