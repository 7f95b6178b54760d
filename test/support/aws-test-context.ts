import type { Request } from "@gantry/db";
import type { Aws } from "@gantry/worker";
import type { Engine } from "@gantry/worker/engine";
import { createTestAccount, type TestAccount } from "./account.js";
import { testAwsEngine } from "./aws-engine.js";
import { runAllToEnd } from "./engine.js";
import { cloneDatabase, type TestDatabase, testEnv } from "./stack.js";

/** Runs Requests on the emulated AWS: one database for the test file, one account for each test. */
export interface AwsTestContext {
  database: TestDatabase;
  db: TestDatabase["db"];
  env: ReturnType<typeof testEnv>;
  engine: Engine<Aws>;
  customer: TestAccount;
  /** Runs all unfinished Requests of the account to their end and returns this one. */
  outcome(requestId: string): Promise<Request>;
}

/** Registers the hooks that create and drop the context. Its properties exist inside tests and their hooks only. */
export function awsTestContext(): AwsTestContext {
  const context = {} as AwsTestContext;
  let database: TestDatabase;
  beforeAll(async () => {
    database = await cloneDatabase();
    const { db } = database;
    const env = testEnv(database);
    const engine = testAwsEngine(database, env);
    Object.assign(context, { database, db, env, engine } satisfies Partial<AwsTestContext>);
    context.outcome = async (requestId) => {
      await runAllToEnd(engine, context.customer.accountId);
      return db.request.findUniqueOrThrow({ where: { id: requestId } });
    };
  });
  beforeEach(async () => {
    context.customer = await createTestAccount(context.db, context.env);
  });
  afterAll(() => database.drop());
  return context;
}
