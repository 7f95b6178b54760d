import type { Request } from "@gantry/db";
import { afterAll, beforeAll, beforeEach } from "@jest/globals";
import type { Aws } from "../../apps/worker/src/aws/clients.js";
import type { Engine } from "../../apps/worker/src/engine/engine.js";
import { createTestAccount, type TestAccount } from "./account.js";
import { quietAwsEngine, runAllToEnd } from "./engine.js";
import { cloneDatabase, type TestDatabase, testEnv } from "./stack.js";

/** Where a test file runs Requests on the emulated AWS: a database of the file's own, and a new customer for each test. */
export interface Workshop {
  db: TestDatabase["db"];
  env: ReturnType<typeof testEnv>;
  engine: Engine<Aws>;
  customer: TestAccount;
  /** The Request when all that is open has ended. */
  outcome(requestId: string): Promise<Request>;
}

/** Sets it up and takes it down; what it gives is there within tests alone. */
export function workshop(): Workshop {
  const shop = {} as Workshop;
  let database: TestDatabase;
  beforeAll(async () => {
    database = await cloneDatabase();
    const { db } = database;
    const env = testEnv(database);
    const engine = quietAwsEngine(database, env);
    Object.assign(shop, { db, env, engine } satisfies Partial<Workshop>);
    shop.outcome = async (requestId) => {
      await runAllToEnd(engine, shop.customer.accountId);
      return db.request.findUniqueOrThrow({ where: { id: requestId } });
    };
  });
  beforeEach(async () => {
    shop.customer = await createTestAccount(shop.db, shop.env);
  });
  afterAll(() => database.drop());
  return shop;
}
