import type { Request } from "@gantry/db";
import type { AwsAccount } from "@gantry/local-stack";
import { type RequestType, requestTypes } from "@gantry/requests";
import { type Aws, classifyAwsError } from "@gantry/worker";
import type { Engine } from "@gantry/worker/engine";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { aws, createTestAccount } from "./account.js";
import { testAwsEngine } from "./aws-engine.js";
import { interceptor, type OnAwsCall } from "./aws-interceptor.js";
import type { Callbacks } from "./callbacks.js";
import { Crash, runAllToEnd } from "./engine.js";
import { type Counts, countsOf, type Scenario, type Scenarios } from "./scenario.js";
import { cloneDatabase, type TestDatabase, testEnv } from "./stack.js";

interface Outcome {
  point: string;
  calls: number;
  request: Request;
  made: Counts;
}

/**
 * Tests every scenario: whichever of its calls to AWS its worker dies at, exactly one of everything is left; whichever
 * of them fails for good, nothing. `callbacks` gives them an API that hears what their servers report.
 */
export function testCrashes(scenarios: Scenarios, { callbacks = false }: { callbacks?: boolean } = {}): void {
  let database: TestDatabase;
  let api: Callbacks | undefined;
  let engine: Engine<Aws>;
  let env: ReturnType<typeof testEnv>;
  // The emulator takes a moment to fill a new account: one for all, whose things the tags tell apart.
  let awsAccount: AwsAccount;

  beforeAll(async () => {
    database = await cloneDatabase();
    // Only where it is needed: it takes a second to load.
    api = callbacks ? await (await import("./callbacks.js")).startCallbacks(database) : undefined;
    env = api?.env ?? testEnv(database);
    engine = testAwsEngine(database, env);
    awsAccount = await aws.createAccount();
  });
  afterAll(async () => {
    await api?.stop();
    await database.drop();
  });

  /** Runs the scenario with every call to AWS watched. */
  async function runScenario(
    scenario: Scenario,
    onCall: OnAwsCall,
    classify: Engine<Aws>["classify"] = classifyAwsError,
  ): Promise<Omit<Outcome, "point" | "made"> & { accountId: string }> {
    const { db } = database;
    const customer = await createTestAccount(db, env, awsAccount);
    const { accountId } = customer;
    const requestId = await scenario.open({
      db,
      env,
      customer,
      finishOpenRequests: () => runAllToEnd(engine, accountId),
    });
    const { wrap, calls } = interceptor(onCall);
    const connect: Engine<Aws>["connect"] = async (...location) => wrap(await engine.connect(...location));
    await runAllToEnd({ ...engine, connect, classify }, accountId);
    const request = await db.request.findUniqueOrThrow({ where: { id: requestId } });
    return { accountId, calls: calls(), request };
  }

  const callCounts = new Map<Scenario, number>();

  /** How many of the scenario's calls are to be broken. */
  async function callCountOf(scenario: Scenario): Promise<number> {
    let calls = callCounts.get(scenario);
    if (calls === undefined) {
      const whole = await runScenario(scenario, () => {});
      expect(whole.request).toMatchObject({ successful: true, message: null });
      calls = Math.min(whole.calls, scenario.calls ?? whole.calls);
      callCounts.set(scenario, calls);
    }
    return calls;
  }

  /** Plays the scenario once for every moment before and after one of its calls, with `onCall` breaking that moment. */
  async function runWithBrokenCalls(
    scenario: Scenario,
    breakCall: () => never,
    classify?: Engine<Aws>["classify"],
  ): Promise<Outcome[]> {
    const calls = await callCountOf(scenario);
    const outcomes = [];
    for (let nth = 1; nth <= calls; nth += scenario.oneIn ?? 1) {
      const moments = (["before", "after"] as const).map(async (moment) => {
        const onCall: OnAwsCall = (n, when) => {
          if (n === nth && when === moment) breakCall();
        };
        return { point: `${moment} call ${nth}`, ...(await runScenario(scenario, onCall, classify)) };
      });
      outcomes.push(...(await Promise.all(moments)));
    }
    const inventory = await aws.inventory(awsAccount);
    return outcomes.map((outcome) => ({ ...outcome, made: countsOf(inventory, outcome.accountId) }));
  }

  for (const [type, scenario] of Object.entries(scenarios)) {
    const { afterSuccess, afterFailure } = scenario;
    const lastStage = requestTypes[type as RequestType].stages.at(-1);

    describe(type, () => {
      it("leaves exactly one of everything when its worker dies before or after any call to AWS", async () => {
        const die = () => {
          throw new Crash();
        };
        const outcomes = await runWithBrokenCalls(scenario, die, (error) => {
          if (error instanceof Crash) throw error;
          return classifyAwsError(error);
        });
        for (const { point, made, request } of outcomes) {
          const { successful, stage, message } = request;
          expect({ point, successful, message, stage, made }).toEqual({
            point,
            successful: true,
            message: null,
            stage: lastStage,
            made: afterSuccess,
          });
        }
      }, 180_000);

      if (!afterFailure) return;
      it("leaves nothing of its own when any call to AWS fails for good", async () => {
        const refuse = () => {
          throw Object.assign(new Error("no"), { name: "UnauthorizedOperation", $metadata: {} });
        };
        for (const { point, made, request } of await runWithBrokenCalls(scenario, refuse)) {
          const { successful, message, leakedResources } = request;
          expect({ point, successful, message, leakedResources, made }).toEqual({
            point,
            successful: false,
            message: "The provider's credentials lack a permission in AWS that this needs",
            leakedResources: [],
            made: afterFailure,
          });
        }
      }, 180_000);
    });
  }
}
