import { buildApp } from "@gantry/api";
import { type Request, Vault } from "@gantry/db";
import type { AwsAccount } from "@gantry/local-stack";
import type { RequestType } from "@gantry/resources";
import type { Aws } from "@gantry/worker";
import type { Engine } from "@gantry/worker/engine";
import { scenarios } from "@gantry/worker/scenarios";
import { createTestAccount } from "../../support/account.js";
import { createCaller, type TestCaller } from "../../support/api.js";
import { testAwsEngine } from "../../support/aws-engine.js";
import { runAllToEnd } from "../../support/engine.js";
import { openPort } from "../../support/port.js";
import { recordJobs } from "../../support/recorded-jobs.js";
import { failedAssertion, type Scenario, scenarioContext } from "../../support/scenario.js";
import { cloneDatabase, type TestDatabase, testEnv, testKeys, testLog } from "../../support/stack.js";
import { instrumentStages } from "./instrumentation.js";

/** A database, an engine in this process, and the API on a port for callers and for the reports of servers. */
export interface TestSystem {
  database: TestDatabase;
  baseUrl: string;
  engine: Engine<Aws>;
  /** Creates the Request of a type's scenario in a new account. */
  accept(type: RequestType, awsAccount: AwsAccount): Promise<AcceptedRequest>;
  close(): Promise<void>;
}

/** A Request that no worker has claimed yet. */
export interface AcceptedRequest {
  type: RequestType;
  scenario: Scenario;
  accountId: string;
  requestId: string;
  caller(): Promise<TestCaller>;
  /**
   * Runs all unfinished Requests of the account to their end. Returns this Request, or the one with `requestId`.
   *
   * @throws if that Request succeeded and its scenario's assertion fails
   */
  finish(options?: { engine?: Engine<Aws>; requestId?: string }): Promise<Request>;
}

export async function startTestSystem(): Promise<TestSystem> {
  const database = await cloneDatabase();
  const { db } = database;
  const port = await openPort();
  const env = testEnv(database, { BASE_URL: port.url, RATE_LIMIT_PER_MINUTE: "1000000" });
  const vault = new Vault(env.MASTER_KEY);
  const { app, close } = buildApp({ env, db, jobs: recordJobs(), log: testLog, vault, keys: testKeys });
  port.serve(app);
  const engine = instrumentStages(testAwsEngine(database, env));
  return {
    database,
    baseUrl: port.url,
    engine,
    accept: async (type, awsAccount) => {
      const scenario: Scenario = scenarios[type];
      const customer = await createTestAccount(db, env, awsAccount);
      const { accountId } = customer;
      const context = scenarioContext(engine, { db, env, customer });
      const requestId = await scenario.createRequest(context);
      return {
        type,
        scenario,
        accountId,
        requestId,
        caller: () => createCaller({ app, db }, { accountId }),
        finish: async (options = {}) => {
          await runAllToEnd(options.engine ?? engine, accountId);
          const request = await db.request.findUniqueOrThrow({ where: { id: options.requestId ?? requestId } });
          const failed = request.successful && (await failedAssertion(scenario, context, request));
          if (failed) throw new Error(failed);
          return request;
        },
      };
    },
    close: async () => {
      await port.close();
      await close();
      await database.drop();
    },
  };
}
