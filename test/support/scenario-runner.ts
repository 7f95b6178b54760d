import type { Request } from "@gantry/db";
import type { AwsAccount, CatalogueMode } from "@gantry/local-stack";
import { type Aws, classifyAwsError } from "@gantry/worker";
import type { Engine } from "@gantry/worker/engine";
import { aws, createAwsAccount, createTestAccount } from "./account.js";
import { testAwsEngine } from "./aws-engine.js";
import { interceptor, type OnAwsCall, type ServiceName } from "./aws-interceptor.js";
import type { CallbackApi } from "./callbacks.js";
import { runAllToEnd } from "./engine.js";
import {
  type Counts,
  countsOf,
  failedAssertion,
  type Scenario,
  type ScenarioContext,
  scenarioContext,
} from "./scenario.js";
import { cloneDatabase, type TestDatabase, testEnv, testLog } from "./stack.js";

/** One run of a scenario, whose Request has ended. */
export interface ScenarioRun {
  accountId: string;
  /** The calls to AWS in their order. */
  calls: { service: ServiceName; operation: string }[];
  request: Request;
  failedAssertion: string | undefined;
  /** What its Requests waited for because of an error of AWS. */
  waits: string[];
}

interface RunOptions {
  classify?: Engine<Aws>["classify"] | undefined;
  /** Changes AWS or the database before the Request runs. */
  prepare?: (context: ScenarioContext) => Promise<void>;
}

export interface ScenarioRunner {
  /** Runs a scenario's Request with `onCall` around each of its calls to AWS. */
  run(scenario: Scenario, onCall: OnAwsCall, options?: RunOptions): Promise<ScenarioRun>;
  /** Returns the run of a scenario's Request without `onCall`, the same one at each call. */
  undisturbed(scenario: Scenario): Promise<ScenarioRun>;
  /** Adds to each run the objects that it left in AWS. */
  withCounts<Run extends ScenarioRun>(runs: Run[]): Promise<(Run & { counts: Counts })[]>;
}

interface ScenarioRunnerOptions {
  /** True if the scenarios' servers report to an API. */
  callbacks?: boolean;
  /** The offers of the emulated AWS, if a scenario reads them often. */
  offers?: CatalogueMode;
}

/** Returns the runner of a test file's scenarios. */
export function scenarioRunner({ callbacks = false, offers }: ScenarioRunnerOptions = {}): ScenarioRunner {
  let database: TestDatabase;
  let api: CallbackApi | undefined;
  let engine: Engine<Aws>;
  let env: ReturnType<typeof testEnv>;
  // One AWS account for all runs, since the emulator needs a second to fill a new one. Tags distinguish the runs.
  let awsAccount: AwsAccount;

  beforeAll(async () => {
    database = await cloneDatabase();
    // Imported on demand: it takes a second to load.
    api = callbacks ? await (await import("./callbacks.js")).startCallbackApi(database) : undefined;
    env = api?.env ?? testEnv(database);
    engine = testAwsEngine(database, env);
    awsAccount = await createAwsAccount();
    if (offers) await aws.setCatalogue(offers, awsAccount);
  });
  afterAll(async () => {
    await api?.stop();
    await database.drop();
  });

  const run: ScenarioRunner["run"] = async (scenario, onCall, { classify = classifyAwsError, prepare } = {}) => {
    const { db } = database;
    const customer = await createTestAccount(db, env, awsAccount);
    const { accountId } = customer;
    const context = scenarioContext(engine, { db, env, customer });
    const requestId = await scenario.createRequest(context);
    await prepare?.(context);
    const calls: ScenarioRun["calls"] = [];
    const waits: string[] = [];
    const { wrap } = interceptor((nth, side, command, call) => {
      if (side === "before") calls.push({ service: call.service, operation: command.replace(/Command$/, "") });
      return onCall(nth, side, command, call);
    });
    const connect: Engine<Aws>["connect"] = async (...location) => wrap(await engine.connect(...location));
    await runAllToEnd({ ...engine, connect, classify, log: logOfWaits(waits) }, accountId);
    const request = await db.request.findUniqueOrThrow({ where: { id: requestId } });
    const failed = request.successful ? await failedAssertion(scenario, context, request) : undefined;
    return { accountId, calls, request, failedAssertion: failed, waits };
  };
  const undisturbed = new Map<Scenario, Promise<ScenarioRun>>();

  return {
    run,
    undisturbed: (scenario) => {
      const known = undisturbed.get(scenario) ?? run(scenario, () => {});
      undisturbed.set(scenario, known);
      return known;
    },
    withCounts: async (runs) => {
      const inventory = await aws.inventory(awsAccount);
      return runs.map((run) => ({ ...run, counts: countsOf(inventory, run.accountId) }));
    },
  };
}

/** A log that keeps the reasons of sleeps that an error of AWS caused. */
function logOfWaits(waits: string[]): Engine<Aws>["log"] {
  const log = testLog.child({});
  log.child = () => log as never;
  log.info = (facts: { cloudWait?: { reason: string } }) =>
    void (facts.cloudWait && waits.push(facts.cloudWait.reason));
  return log;
}
