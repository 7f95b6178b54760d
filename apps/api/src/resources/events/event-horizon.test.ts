import { randomUUID } from "node:crypto";
import { connectDb, type Db, type Tx } from "@gantry/db";
import { type EventCursor, readEvents, START } from "@gantry/resources";
import { cloneDatabase, LONG_TIMEOUTS, type TestDatabase } from "@gantry/test/support/stack";
import { until } from "@gantry/test/support/until";

let database: TestDatabase;
let neighbour: TestDatabase;
/** The apps' user, who may not see what sessions of other users do. */
let apps: Db;
let accountId: string;

beforeAll(async () => {
  [database, neighbour] = [await cloneDatabase(), await cloneDatabase()];
  apps = connectDb(database.url, 2, LONG_TIMEOUTS);
  accountId = await addAccount(database.db);
});
afterAll(async () => {
  await apps.$disconnect();
  await database.drop();
  await neighbour.drop();
});

type Client = Pick<Db, "account" | "provider">;

async function addAccount({ account }: Client): Promise<string> {
  return (await account.create({ data: { id: randomUUID(), name: "events" } })).id;
}

/** Adds an event, and returns the id of its subject. */
async function addEvent(db: Client): Promise<string> {
  const data = { accountId, type: "aws", externalId: randomUUID(), provisionedId: "1" } as const;
  return String((await db.provider.create({ data })).id);
}

const LONG = { maxWait: 300_000, timeout: 300_000 };

async function subjectsAfter(cursor: EventCursor): Promise<string[]> {
  const { events } = await readEvents(apps, { accountIds: [accountId] }, cursor, 100);
  return events.map(({ subjectId }) => subjectId);
}

async function horizonOf(db: Pick<Db, "$queryRaw">): Promise<bigint> {
  const [row] = await db.$queryRaw<{ horizon: bigint }[]>`SELECT event_horizon() AS horizon`;
  return row?.horizon ?? 0n;
}

const positionOf = async (subjectId: string, db: Pick<Db, "event"> = database.db) =>
  (await db.event.findFirstOrThrow({ where: { accountId, subjectId } })).position;

describe("the horizon of events", () => {
  it("does not wait for a transaction of another database", async () => {
    await neighbour.db.$transaction(async (writer) => {
      await addAccount(writer);
      const subjectId = await addEvent(database.db);
      await until(async () => (await subjectsAfter(START)).includes(subjectId));
    }, LONG);
  });

  it("waits for a transaction of this database, whose events come first", async () => {
    const { cursor } = await readEvents(apps, { accountIds: [accountId] }, START, 100);
    const written: string[] = [];
    await database.db.$transaction(async (writer) => {
      written.push(await addEvent(writer), await addEvent(apps));
      const position = await positionOf(written[0] as string, writer);
      await until(async () => (await horizonOf(apps)) === position);
      expect(await subjectsAfter(cursor)).toEqual([]);
    }, LONG);
    // Read once: the horizon goes back for a moment when a transaction of another database ends.
    let read: string[] = [];
    await until(async () => {
      read = await subjectsAfter(cursor);
      return read.length === 2;
    });
    expect(read).toEqual(written);
  });

  it("is not beyond the asking transaction", async () => {
    await database.db.$transaction(async (writer) => {
      const position = await positionOf(await addEvent(writer), writer);
      await addEvent(apps);
      expect(await horizonOf(writer)).toBeLessThanOrEqual(position);
    }, LONG);
  });
});

describe("an app's transaction that does not end", () => {
  /** Begins a transaction of an app, which continues until the events after it are readable. */
  async function holdUntilPassed(limits: Partial<typeof LONG_TIMEOUTS>, goOn: (writer: Tx) => Promise<unknown>) {
    const app = connectDb(database.url, 1, { ...LONG_TIMEOUTS, ...limits });
    let hasPassed = false;
    const held = app.$transaction(async (writer) => {
      const position = await positionOf(await addEvent(writer), writer);
      await until(async () => {
        await goOn(writer);
        return (await horizonOf(apps)) > position;
      });
      hasPassed = true;
    }, LONG);
    await held.catch(() => {});
    expect(hasPassed).toBe(true);
    await app.$disconnect();
  }

  it("is ended while it is idle", async () => {
    await holdUntilPassed({ idleTransactionSeconds: 0.2 }, async () => {});
  });

  it("is ended even if it is never idle for long, by PostgreSQL 17 and newer", async () => {
    const [server] = await apps.$queryRaw<
      { version: string }[]
    >`SELECT current_setting('server_version_num') AS version`;
    if (Number(server?.version) < 170_000) return;
    await holdUntilPassed({ sessionTransactionSeconds: 1 }, (writer) => writer.$queryRaw`SELECT 1`.catch(() => {}));
  });
});

it("never moves a reader back, even if the horizon moves back", async () => {
  const ahead = { position: (await horizonOf(apps)) + 1_000_000n, seq: 3n };
  const { cursor } = await readEvents(apps, { accountIds: [accountId] }, ahead, 100);
  expect(cursor).toEqual(ahead);
});
