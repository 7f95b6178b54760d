import { afterAll } from "vitest";
import { createPlainAccount } from "./account.js";
import { cloneDatabase } from "./stack.js";

/** Gives the tests of one file a database of their own, which ends with the file, with an account that needs no cloud. */
export async function startEngineTest() {
  const database = await cloneDatabase();
  afterAll(() => database.drop());
  return { database, account: await createPlainAccount(database.db) };
}
