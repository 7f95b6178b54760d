import { cloneDatabase, type TestDatabase } from "@gantry/test/support/stack";
import { type Db, isUnavailable, sqlState } from "./index.js";

const id = "00000000-0000-0000-0000-0000000000aa";
const renamed = "00000000-0000-0000-0000-0000000000bb";

let database: TestDatabase;
beforeAll(async () => {
  database = await cloneDatabase();
  await database.db.account.create({ data: { id: renamed, name: "renamed" } });
  // Fails a statement that adds an account, and a transaction that renames one, with the SQLSTATE that is the name.
  await database.db.$executeRaw`
    CREATE FUNCTION fail_as_named() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'failed' USING ERRCODE = NEW.name; END $$`;
  await database.db.$executeRaw`
    CREATE TRIGGER fail_as_named BEFORE INSERT ON accounts FOR EACH ROW EXECUTE FUNCTION fail_as_named()`;
  await database.db.$executeRaw`
    CREATE CONSTRAINT TRIGGER fail_at_commit AFTER UPDATE OF name ON accounts
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION fail_as_named()`;
});
afterAll(() => database.drop());

const AWAY =
  "08006 25006 25P03 25P04 40001 40P01 53100 53200 53300 53400 55006 55P03 57014 57P01 57P03 57P05 58000 58030";
const DEFECTS = "0A000 22003 23502 23514 25P02 28P01 3D000 42501 42601 P0001 XX000 XX001";

const insert = (db: Pick<Db, "$executeRaw">, name: string) =>
  db.$executeRaw`INSERT INTO accounts (id, name, updated_at) VALUES (${id}::uuid, ${name}, now())`;

/** Each way in which Gantry runs a statement. */
const WAYS: Record<string, (name: string) => Promise<unknown>> = {
  "a raw statement": (name) => insert(database.db, name),
  "a raw query": (name) =>
    database.db
      .$queryRaw`INSERT INTO accounts (id, name, updated_at) VALUES (${id}::uuid, ${name}, now()) RETURNING id`,
  "a query of Prisma": (name) => database.db.account.create({ data: { id, name } }),
  "a transaction": (name) => database.db.$transaction((tx) => tx.account.create({ data: { id, name } })),
  "the end of a transaction": (name) =>
    database.db.$transaction((tx) => tx.account.update({ where: { id: renamed }, data: { name } })),
  "several statements at once": (name) =>
    database.db.$transaction([database.db.account.create({ data: { id, name } })]),
};

it.each(Object.keys(WAYS))("tells a database that is away from a statement that is wrong: %s", async (way) => {
  const seen = async (state: string) => {
    const error = await WAYS[way]?.(state).catch((thrown: unknown) => thrown);
    return [state, sqlState(error), isUnavailable(error)];
  };
  for (const state of AWAY.split(" ")) expect(await seen(state)).toEqual([state, state, true]);
  for (const state of DEFECTS.split(" ")) expect(await seen(state)).toEqual([state, state, false]);
});
