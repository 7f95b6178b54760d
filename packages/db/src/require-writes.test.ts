import { cloneDatabase, LONG_TIMEOUTS, type TestDatabase } from "@gantry/test/support/stack";
import { connectDb, type Db, requireWrites, sqlState } from "./index.js";

let database: TestDatabase;
beforeAll(async () => {
  database = await cloneDatabase();
});
afterAll(() => database.drop());

/** Calls `act` with a client whose sessions have a setting. */
async function withSetting(setting: string, act: (db: Db) => Promise<void>): Promise<void> {
  const name = new URL(database.url).pathname.slice(1);
  await database.db.$executeRawUnsafe(`ALTER DATABASE "${name}" SET ${setting}`);
  const db = connectDb(database.url, 1, LONG_TIMEOUTS);
  try {
    await act(db);
  } finally {
    await db.$disconnect();
    await database.db.$executeRawUnsafe(`ALTER DATABASE "${name}" RESET ${setting.split(" ")[0]}`);
  }
}

it.each([
  ["in a read-only mode", "default_transaction_read_only = on", "25006"],
  ["without room for a file", "temp_file_limit = 0", "53400"],
])("finds that a database %s accepts no writes", async (_what, setting, state) => {
  await withSetting(setting, async (db) => {
    const error = await requireWrites(db).catch((thrown: unknown) => thrown);
    expect(sqlState(error)).toBe(state);
  });
});

it("waits for no other transaction, and leaves nothing behind", async () => {
  const { db } = database;
  const [before] = await db.$queryRaw<object[]>`SELECT *, ctid::text FROM event_clocks`;
  await db.$transaction(async (tx) => {
    await tx.$queryRaw`SELECT FROM event_clocks FOR UPDATE`;
    await requireWrites(db);
  });
  await requireWrites(db);
  const [after] = await db.$queryRaw<object[]>`SELECT *, ctid::text FROM event_clocks`;
  expect(after).toEqual(before);
});
