import { createPlainAccount } from "./account.js";
import { cloneDatabase } from "./stack.js";

/** Creates a database, with an account that needs no cloud, for the tests of one file. It ends with the file. */
export async function startEngineTest() {
  const database = await cloneDatabase();
  afterAll(() => database.drop());
  return { database, account: await createPlainAccount(database.db) };
}
