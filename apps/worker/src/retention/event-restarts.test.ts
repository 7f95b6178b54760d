import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { chmod, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connectDb, type Db, type Event, prepareDatabase } from "@gantry/db";
import { startPostgres } from "@gantry/local-stack";
import { type EventCursor, type EventPage, readEvents, START } from "@gantry/resources";
import { variables } from "@gantry/test/support/run-environment";
import { cloneDatabase, LONG_TIMEOUTS } from "@gantry/test/support/stack";
import { migrations } from "@gantry/test/support/start-stack";
import { until } from "@gantry/test/support/until";

const accountId = randomUUID();

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "gantry-events-"));
  // The user of PostgreSQL must be able to enter the folder.
  await chmod(folder, 0o711);
  await mkdir(join(folder, "first"), { mode: 0o711 });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Runs `work` on the PostgreSQL in a folder below `folder`, which it then stops. */
async function on<T>(name: string, work: (db: Db, url: string) => Promise<T>, end: "stop" | "kill" = "stop") {
  const server = await startPostgres({ folder: join(folder, name), environment: variables });
  const db = connectDb(server.url, 4, LONG_TIMEOUTS);
  try {
    return await work(db, server.url);
  } finally {
    await db.$disconnect();
    await server[end]();
  }
}

/** Writes an event for each name. */
async function write(db: Pick<Db, "provider">, ...names: string[]): Promise<void> {
  for (const name of names)
    await db.provider.create({ data: { accountId, type: "aws", externalId: randomUUID(), name } });
}

/** Reads from a cursor until there are `count` events. */
function read(db: Db, after: EventCursor, count: number): Promise<EventPage> {
  return until(async () => {
    const page = await readEvents(db, { accountIds: [accountId] }, after, 100);
    return page.events.length >= count && page;
  });
}

const namesOf = ({ events }: EventPage) => events.map(({ record }) => (record as { name: string }).name);
const lastOf = ({ events }: EventPage) => events.at(-1) as Event;

it("continues without a gap after a restart and a crash, and detects readers of events that a restored server lost", async () => {
  const backedUp = await on("first", async (db, url) => {
    await prepareDatabase(url, url, migrations);
    await db.account.create({ data: { id: accountId, name: "restored" } });
    await write(db, "before the backup");
    return read(db, START, 1);
  });
  for (const copy of ["second", "third"]) execFileSync("cp", ["-a", join(folder, "first"), join(folder, copy)]);

  await on("first", (db) => write(db, "lost 1", "lost 2", "lost 3"), "kill");
  const ahead = await on("first", async (db) => {
    const page = await read(db, backedUp.cursor, 3);
    expect([namesOf(page), page.gap]).toEqual([["lost 1", "lost 2", "lost 3"], undefined]);
    await write(db, "after the crash");
    const next = await read(db, lastOf(page), 1);
    expect([namesOf(next), next.gap]).toEqual([["after the crash"], undefined]);
    return [page.cursor, lastOf(page), next.cursor, lastOf(next)];
  });

  const onSecond = await on("second", async (db) => {
    for (const cursor of ahead) expect((await read(db, cursor, 0)).gap).toBe("lost");
    await write(db, "1", "2", "3", "4", "5", "6", "7", "8");
    for (const cursor of [backedUp.cursor, lastOf(backedUp)]) {
      const page = await read(db, cursor, 8);
      expect([namesOf(page), page.gap]).toEqual([["1", "2", "3", "4", "5", "6", "7", "8"], undefined]);
    }
    for (const cursor of ahead) expect((await read(db, cursor, 0)).gap).toBe("lost");
    return lastOf(await read(db, START, 9));
  });
  await on("third", async (db) => {
    await write(db, "elsewhere");
    expect((await read(db, onSecond, 0)).gap).toBe("lost");
  });
});

it("has no transaction wait for another that is the first after a start", async () => {
  const { db, drop } = await cloneDatabase();
  try {
    await db.account.create({ data: { id: accountId, name: "restarted" } });
    await write(db, "before");
    const cursor = (await read(db, START, 1)).cursor;
    await db.$executeRaw`UPDATE event_clocks SET server_started_at = '2026-01-01'`;
    const undone = db.$transaction(
      async (tx) => {
        await write(tx, "undone");
        await write(db, "second");
        throw new Error("undone");
      },
      { maxWait: 300_000, timeout: 300_000 },
    );
    await expect(undone).rejects.toThrow("undone");
    expect(namesOf(await read(db, cursor, 1))).toEqual(["second"]);
    await write(db, "third");
    expect(namesOf(await read(db, cursor, 2))).toEqual(["second", "third"]);
    const [clock] = await db.$queryRaw<[{ isCorrected: boolean }]>`
      SELECT server_started_at = pg_postmaster_start_time() AS "isCorrected" FROM event_clocks`;
    expect(clock.isCorrected).toBe(true);
  } finally {
    await drop();
  }
});
