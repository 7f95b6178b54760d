import type { Request } from "@gantry/db";
import { afterAll, beforeAll, beforeEach } from "@jest/globals";
import type { Aws } from "../../apps/worker/src/aws/clients.js";
import type { Engine } from "../../apps/worker/src/engine/engine.js";
import { createTestAccount, type TestAccount } from "./account.js";
import { runAllToEnd, testAwsEngine } from "./engine.js";
import { cloneDatabase, type TestDatabase, testEnv } from "./stack.js";

/** Where a test file runs Requests on the emulated AWS: a database of the file's own, and a new customer for each test. */
export interface AwsTestContext {
  db: TestDatabase["db"];
  env: ReturnType<typeof testEnv>;
  engine: Engine<Aws>;
  customer: TestAccount;
  /** The Request when all that is open has ended. */
  outcome(requestId: string): Promise<Request>;
}

/** Sets it up and takes it down; what it gives is there within tests alone. */
export function awsTestContext(): AwsTestContext {
  const context = {} as AwsTestContext;
  let database: TestDatabase;
  beforeAll(async () => {
    database = await cloneDatabase();
    const { db } = database;
    const env = testEnv(database);
    const engine = testAwsEngine(database, env);
    Object.assign(context, { db, env, engine } satisfies Partial<AwsTestContext>);
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
