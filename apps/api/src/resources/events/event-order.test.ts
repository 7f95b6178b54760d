import { randomUUID } from "node:crypto";
import type { Event, Tx } from "@gantry/db";
import { readEvents, START } from "@gantry/resources";
import { cloneDatabase, type TestDatabase } from "@gantry/test/support/stack";
import { until } from "@gantry/test/support/until";

let database: TestDatabase;
let accountId: string;
let providerId: number;

beforeAll(async () => {
  database = await cloneDatabase();
  const { db } = database;
  accountId = (await db.account.create({ data: { id: randomUUID(), name: "events" } })).id;
  const aws = { accountId, type: "aws", externalId: randomUUID(), provisionedId: "1" };
  providerId = (await db.provider.create({ data: aws })).id;
});
afterAll(() => database.drop());

const LONG = { maxWait: 300_000, timeout: 300_000 };

/** Begins a transaction that has its id before everything that `run` does in other transactions. */
async function early(run: (tx: Tx) => Promise<unknown>): Promise<void> {
  await database.db.$transaction(async (tx) => {
    await tx.$queryRaw`SELECT pg_current_xact_id()::text`;
    await run(tx);
  }, LONG);
}

/** Runs `change`, and returns the events that a reader has then read, at each `read` during the change and afterwards. */
async function eventsOf(subjectId: string, count: number, change: (read: () => Promise<void>) => Promise<unknown>) {
  const events: Event[] = [];
  let cursor = START;
  const read = async () => {
    const page = await readEvents(database.db, { accountIds: [accountId] }, cursor, 1000);
    events.push(...page.events.filter((event) => event.subjectId === subjectId));
    cursor = page.cursor;
  };
  await change(read);
  await until(async () => {
    await read();
    return events.length >= count;
  });
  return events;
}

const fieldOf = (events: Event[], field: string) =>
  events.map(({ record }) => (record as Record<string, unknown>)[field]);

/** Waits until a session of the database waits for a lock. */
const untilBlocked = () =>
  until(async () => {
    const [row] = await database.db.$queryRaw<{ isBlocked: boolean }[]>`
      SELECT count(*) > 0 AS "isBlocked" FROM pg_stat_activity
      WHERE datname = current_database() AND cardinality(pg_blocking_pids(pid)) > 0`;
    return row?.isBlocked;
  });

describe("the order of the events of a network", () => {
  async function addNetwork() {
    const data = { id: randomUUID(), accountId, providerId, location: "us-east-1", cidr: "10.0.0.0/16", name: "made" };
    const { id } = await database.db.network.create({ data });
    return {
      id,
      rename: (name: string, db: Pick<Tx, "network"> = database.db) =>
        db.network.update({ where: { id }, data: { name } }),
    };
  }

  it("is that of its changes, whichever transaction began first", async () => {
    const { id, rename } = await addNetwork();
    const events = await eventsOf(id, 5, (read) =>
      early(async (tx) => {
        await rename("first");
        await rename("second");
        await read();
        await rename("third", tx);
        await rename("fourth", tx);
        await read();
      }),
    );
    expect(fieldOf(events, "name")).toEqual(["made", "first", "second", "third", "fourth"]);
  });

  it("is that of its changes in a chain of transactions, the youngest first", async () => {
    const { id, rename } = await addNetwork();
    const events = await eventsOf(id, 4, (read) =>
      early(async (oldest) => {
        await early(async (old) => {
          await rename("first");
          await rename("second", old);
          await read();
        });
        await read();
        await rename("third", oldest);
      }),
    );
    expect(fieldOf(events, "name")).toEqual(["made", "first", "second", "third"]);
  });

  it("is that of its changes if the earlier transaction waits for the lock of the later", async () => {
    const { id, rename } = await addNetwork();
    const events = await eventsOf(id, 3, (read) =>
      early(async (tx) => {
        let waiting: Promise<unknown> | undefined;
        await database.db.$transaction(async (holder) => {
          await rename("first", holder);
          waiting = Promise.resolve(rename("second", tx));
          await untilBlocked();
        }, LONG);
        await waiting;
        await read();
      }),
    );
    expect(fieldOf(events, "name")).toEqual(["made", "first", "second"]);
  });
});

it("orders the events of a Request by its changes and messages", async () => {
  const { db } = database;
  const id = randomUUID();
  const type = "provision_network";
  await db.request.create({
    data: { id, accountId, type, input: {}, traceId: "", stage: "made", deadlineAt: new Date() },
  });
  const enter = (stage: string, client: Pick<Tx, "request"> = db) =>
    client.request.update({ where: { id }, data: { stage } });
  const events = await eventsOf(id, 5, (read) =>
    early(async (writer) => {
      await early(async (changer) => {
        await enter("first");
        await enter("second", changer);
      });
      await read();
      await writer.requestMessage.create({ data: { id: randomUUID(), requestId: id, message: "said" } });
      await enter("third", writer);
    }),
  );
  expect(events.map((event) => event.type.replace("request.", ""))).toEqual([
    "accepted",
    "stage",
    "stage",
    "message",
    "stage",
  ]);
  expect(fieldOf(events, "stage")).toEqual(["made", "first", "second", "second", "third"]);
});

it("orders the events of an alert by when it finishes and is restored", async () => {
  const { db } = database;
  const id = randomUUID();
  const alert = { id, accountId, externalId: id, name: "alert", message: "", severity: "warning" };
  await db.alert.create({ data: alert });
  const finish = (finishedAt: Date | null, client: Pick<Tx, "alert"> = db) =>
    client.alert.update({ where: { id }, data: { finishedAt } });
  const events = await eventsOf(id, 4, () =>
    early(async (tx) => {
      await finish(new Date());
      await finish(null);
      await finish(new Date(), tx);
    }),
  );
  expect(events.map(({ type }) => type)).toEqual(["alert.raised", "alert.finished", "alert.raised", "alert.finished"]);
});

it("orders the events of a webhook that is disabled twice", async () => {
  const { db } = database;
  const id = randomUUID();
  const url = "https://receiver.test";
  await db.webhook.create({
    data: { id, accountId, url, secret: new Uint8Array(), baseUrl: "https://gantry.test", position: 0n },
  });
  const set = (disabledReason: string | null, client: Pick<Tx, "webhook"> = db) =>
    client.webhook.update({ where: { id }, data: { disabledReason, disabledAt: disabledReason && new Date() } });
  const events = await eventsOf(id, 2, () =>
    early(async (tx) => {
      await set("first");
      await set(null);
      await set("second", tx);
    }),
  );
  expect(events.map(({ message }) => message)).toEqual(["first", "second"]);
});
