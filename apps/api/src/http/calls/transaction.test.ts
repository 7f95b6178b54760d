import { startApiTest } from "@gantry/test/support/api-test";

const { db, owner } = await startApiTest();

beforeEach(async () => {
  await db.$executeRaw`CREATE SEQUENCE attempts`;
});
afterEach(async () => {
  await db.$executeRaw`DROP FUNCTION lose CASCADE`;
  await db.$executeRaw`DROP SEQUENCE attempts`;
});

/** Lets the first `losses` changes of an account fail with a SQLSTATE. A sequence counts also what is rolled back. */
async function failFirst(losses: number, state: string): Promise<void> {
  await db.$executeRawUnsafe(`
    CREATE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF nextval('attempts') <= ${losses} THEN RAISE EXCEPTION 'lost' USING ERRCODE = '${state}'; END IF;
      RETURN NULL;
    END $$`);
  await db.$executeRaw`CREATE TRIGGER lose AFTER UPDATE ON accounts EXECUTE FUNCTION lose()`;
}

const change = (contact: string) =>
  owner.put(`/accounts/${owner.accountId}`, { account: { emergency_contact: contact } });

it.each(["40P01", "40001"])("answers a call again that PostgreSQL rolled back for another one (%s)", async (state) => {
  await failFirst(1, state);
  const { status, body } = await change(state);
  expect([status, body.account.emergency_contact]).toEqual([200, state]);
});

it.each([
  ["lost twice", 2, "40P01", 2],
  ["met a full disk", 1, "53100", 1],
])("asks for a retry after a call that %s", async (_what, losses, state, attempts) => {
  await failFirst(losses, state);
  const { status, body, headers } = await change("late");
  expect([status, body.code, headers["retry-after"]]).toEqual([503, "unavailable", "2"]);
  expect(await db.$queryRaw`SELECT last_value::int AS made FROM attempts`).toEqual([{ made: attempts }]);
});
