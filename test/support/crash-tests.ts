import type { Request } from "@gantry/db";
import type { AwsAccount } from "@gantry/local-stack";
import { type RequestType, requestTypes } from "@gantry/requests";
import { type Aws, classifyAwsError } from "@gantry/worker";
import type { Engine } from "@gantry/worker/engine";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { aws, createTestAccount } from "./account.js";
import { testAwsEngine } from "./aws-engine.js";
import { interceptor, type OnAwsCall } from "./aws-interceptor.js";
import type { CallbackApi } from "./callbacks.js";
import { Crash, runAllToEnd } from "./engine.js";
import { type Counts, countsOf, failedAssertion, type Scenario, type Scenarios, scenarioContext } from "./scenario.js";
import { cloneDatabase, type TestDatabase, testEnv } from "./stack.js";

interface Run {
  accountId: string;
  /** The number of calls to AWS. */
  calls: number;
  request: Request;
  failedAssertion: string | undefined;
}

interface Outcome extends Run {
  /** The interrupted call, such as `before call 3`. */
  point: string;
  counts: Counts;
}

/**
 * Tests every scenario: exactly one of everything is left whichever call to AWS its worker crashes at, and nothing
 * whichever call AWS refuses. With `callbacks` the scenarios' servers report to an API.
 */
export function testCrashes(scenarios: Scenarios, { callbacks = false }: { callbacks?: boolean } = {}): void {
  let database: TestDatabase;
  let api: CallbackApi | undefined;
  let engine: Engine<Aws>;
  let env: ReturnType<typeof testEnv>;
  // One AWS account for all runs, since the emulator needs a second to fill a new one. Tags tell the runs apart.
  let awsAccount: AwsAccount;

  beforeAll(async () => {
    database = await cloneDatabase();
    // Imported on demand: it takes a second to load.
    api = callbacks ? await (await import("./callbacks.js")).startCallbackApi(database) : undefined;
    env = api?.env ?? testEnv(database);
    engine = testAwsEngine(database, env);
    awsAccount = await aws.createAccount();
  });
  afterAll(async () => {
    await api?.stop();
    await database.drop();
  });

  /** Runs a scenario's Request with `onCall` around each of its calls to AWS. */
  async function run(
    scenario: Scenario,
    onCall: OnAwsCall,
    classify: Engine<Aws>["classify"] = classifyAwsError,
  ): Promise<Run> {
    const { db } = database;
    const customer = await createTestAccount(db, env, awsAccount);
    const { accountId } = customer;
    const context = scenarioContext(engine, { db, env, customer });
    const requestId = await scenario.open(context);
    const { wrap, calls } = interceptor(onCall);
    const connect: Engine<Aws>["connect"] = async (...location) => wrap(await engine.connect(...location));
    await runAllToEnd({ ...engine, connect, classify }, accountId);
    const request = await db.request.findUniqueOrThrow({ where: { id: requestId } });
    const failed = request.successful ? await failedAssertion(scenario, context, request) : undefined;
    return { accountId, calls: calls(), request, failedAssertion: failed };
  }

  const callCounts = new Map<Scenario, number>();

  /** The number of the scenario's calls to interrupt, counted once by an undisturbed run. */
  async function callCountOf(scenario: Scenario): Promise<number> {
    let calls = callCounts.get(scenario);
    if (calls === undefined) {
      const undisturbed = await run(scenario, () => {});
      expect(undisturbed.request).toMatchObject({ successful: true, message: null });
      expect(undisturbed.failedAssertion).toBeUndefined();
      calls = Math.min(undisturbed.calls, scenario.calls ?? undisturbed.calls);
      callCounts.set(scenario, calls);
    }
    return calls;
  }

  /** Runs the scenario once for each point before and after one of its calls, and interrupts it there. */
  async function runInterrupted(
    scenario: Scenario,
    interrupt: () => never,
    classify?: Engine<Aws>["classify"],
  ): Promise<Outcome[]> {
    const calls = await callCountOf(scenario);
    const outcomes = [];
    for (let nth = 1; nth <= calls; nth += scenario.oneIn ?? 1) {
      const runs = (["before", "after"] as const).map(async (side) => {
        const onCall: OnAwsCall = (n, current) => {
          if (n === nth && current === side) interrupt();
        };
        return { point: `${side} call ${nth}`, ...(await run(scenario, onCall, classify)) };
      });
      outcomes.push(...(await Promise.all(runs)));
    }
    const inventory = await aws.inventory(awsAccount);
    return outcomes.map((outcome) => ({ ...outcome, counts: countsOf(inventory, outcome.accountId) }));
  }

  for (const [type, scenario] of Object.entries(scenarios) as [RequestType, Scenario][]) {
    const { afterSuccess, afterFailure } = scenario;
    const lastStage = requestTypes[type].stages.at(-1);

    describe(type, () => {
      it("leaves exactly one of everything when its worker crashes before or after any call to AWS", async () => {
        const crash = () => {
          throw new Crash();
        };
        const outcomes = await runInterrupted(scenario, crash, (error) => {
          if (error instanceof Crash) throw error;
          return classifyAwsError(error);
        });
        for (const { point, counts, request, failedAssertion } of outcomes) {
          const { successful, stage, message } = request;
          expect({ point, successful, message, stage, counts, failedAssertion }).toEqual({
            point,
            successful: true,
            message: null,
            stage: lastStage,
            counts: afterSuccess,
            failedAssertion: undefined,
          });
        }
      });

      if (!afterFailure) return;
      it("leaves nothing of its own when AWS refuses any of its calls", async () => {
        const refuse = () => {
          throw Object.assign(new Error("no"), { name: "UnauthorizedOperation", $metadata: {} });
        };
        for (const { point, counts, request } of await runInterrupted(scenario, refuse)) {
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
