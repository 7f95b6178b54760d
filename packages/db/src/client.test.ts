import { randomUUID } from "node:crypto";
import { cloneDatabase, LONG_TIMEOUTS, type TestDatabase } from "@gantry/test/support/stack";
import { until } from "@gantry/test/support/until";
import { GuardedPool } from "./guarded-pool.js";
import {
  connectDb,
  guarded,
  insertInto,
  isUnavailable,
  Prisma,
  plannedForValues,
  readByKey,
  sqlState,
  violatedUnique,
  writeRows,
} from "./index.js";

let database: TestDatabase;
beforeAll(async () => {
  database = await cloneDatabase();
});
afterAll(() => database.drop());

it("runs a raw query of a transaction inside the transaction", async () => {
  const id = randomUUID();
  const seen = await database.db.$transaction(async (tx) => {
    await tx.account.create({ data: { id, name: "inside" } });
    return tx.$queryRaw<object[]>`SELECT name FROM accounts WHERE id = ${id}::uuid`;
  });
  expect(seen).toEqual([{ name: "inside" }]);
});

it("runs a raw query of an extended client through its extension", async () => {
  const queries: string[] = [];
  const extended = database.db.$extends({
    query: {
      $queryRaw: ({ args, query }) => {
        queries.push(args.sql);
        return query(args);
      },
    },
  });
  await extended.$queryRaw`SELECT 1`;
  expect(queries).toEqual(["SELECT 1"]);
});

it("has no statement compiled, however many rows PostgreSQL expects of it", async () => {
  await database.db.$executeRaw`SELECT 1`;
  expect(await database.db.$queryRaw`SELECT current_setting('jit') AS jit`).toEqual([{ jit: "off" }]);
});

it("reads values as Prisma does, in and outside a transaction", async () => {
  const query = Prisma.sql`SELECT 1::int8 AS big, 2::int4 AS small, 1.5::float8 AS real, true AS flag, null AS nothing,
    '{"a": [1]}'::jsonb AS json, 'x'::text AS text, '2026-01-02T03:04:05.678Z'::timestamptz AS time,
    '\\x0102'::bytea AS bytes, array['a', 'b'] AS list, '00000000-0000-0000-0000-000000000001'::uuid AS id`;
  const [direct] = await database.db.$queryRaw<Record<string, unknown>[]>(query);
  const [inside] = await database.db.$transaction((tx) => tx.$queryRaw<Record<string, unknown>[]>(query));
  const plain = (row: Record<string, unknown> = {}) => ({ ...row, bytes: Array.from(row.bytes as Uint8Array) });
  expect(plain(direct)).toEqual(plain(inside));
});

describe("reads by key", () => {
  const backendOf = (id: string) => Prisma.sql`SELECT ${id}::uuid AS id, pg_backend_pid() AS pid`;

  it("of one moment share a connection, up to eight, and each gets its own row", async () => {
    const ids = Array.from({ length: 20 }, () => randomUUID());
    const emit = jest.spyOn(GuardedPool.prototype, "emit");
    const rows = await Promise.all(ids.map((id) => readByKey<{ id: string }[]>(database.db, backendOf(id))));
    const connections = emit.mock.calls.filter(([event]) => event === "acquire");
    emit.mockRestore();
    expect(rows.map(([row]) => row?.id)).toEqual(ids);
    expect(connections).toHaveLength(Math.ceil(ids.length / 8));
  });

  it("fail alone", async () => {
    const texts = [randomUUID(), "no uuid", randomUUID()];
    const settled = await Promise.allSettled(texts.map((id) => readByKey(database.db, backendOf(id))));
    expect(settled.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(settled.map((each) => each.status === "rejected" && sqlState(each.reason))).toEqual([false, "22P02", false]);
  });

  it("read in a transaction what it has written", async () => {
    const id = randomUUID();
    const seen = await database.db.$transaction(async (tx) => {
      await tx.account.create({ data: { id, name: "inside" } });
      return readByKey(tx, Prisma.sql`SELECT name FROM accounts WHERE id = ${id}::uuid`);
    });
    expect(seen).toEqual([{ name: "inside" }]);
  });

  it("of a guarded call leave no transaction open", async () => {
    const db = connectDb(database.url, 1, LONG_TIMEOUTS);
    const guard = { name: "guard", text: "SELECT $1::int", values: [1] };
    try {
      const [row] = await guarded(guard, () => readByKey<{ pid: number }[]>(db, backendOf(randomUUID())));
      const [session] = await database.db.$queryRaw<object[]>`
        SELECT state FROM pg_stat_activity WHERE pid = ${row?.pid ?? 0}`;
      expect(session).toEqual({ state: "idle" });
    } finally {
      await db.$disconnect();
    }
  });

  it("fail together if their connection breaks, and work on another one", async () => {
    const db = connectDb(database.url, 2, LONG_TIMEOUTS);
    try {
      const [first] = await readByKey<{ pid: number }[]>(db, backendOf(randomUUID()));
      const slow = readByKey(db, Prisma.sql`SELECT pg_sleep(60)`);
      const behind = readByKey(db, backendOf(randomUUID()));
      const ended = Promise.allSettled([slow, behind]);
      await until(async () => {
        const [{ ends } = { ends: false }] = await database.db.$queryRaw<{ ends: boolean }[]>`
          SELECT pg_terminate_backend(pid) AS ends FROM pg_stat_activity
          WHERE pid = ${first?.pid ?? 0} AND query LIKE '%pg_sleep%' AND state = 'active'`;
        return ends;
      });
      const [one, other] = await ended;
      expect([one?.status, other?.status]).toEqual(["rejected", "rejected"]);
      expect(await readByKey(db, backendOf(randomUUID()))).toHaveLength(1);
    } finally {
      await db.$disconnect();
    }
  });
});

describe("writes of one moment", () => {
  const insertOf = (id: string) => insertInto("accounts", { id, name: "batch" });
  const write = (id: string) => writeRows(database.db, insertOf(id));
  const written = async (ids: string[]) => {
    const rows = await database.db.$queryRaw<{ id: string; xmin: string }[]>`
      SELECT id, xmin::text FROM accounts WHERE id = ANY(${ids}::uuid[])`;
    return { ids: rows.map(({ id }) => id).sort(), transactions: new Set(rows.map(({ xmin }) => xmin)).size };
  };
  const newIds = (count: number) => Array.from({ length: count }, () => randomUUID()).sort();

  it("share a transaction, up to eight", async () => {
    const [eight, nine] = [newIds(8), newIds(9)];
    await Promise.all(eight.map(write));
    expect(await written(eight)).toEqual({ ids: eight, transactions: 1 });
    await Promise.all(nine.map(write));
    expect((await written(nine)).ids).toEqual(nine);
    // Two batches may wait for each other's locks, and are then written row by row.
    expect((await written(nine)).transactions).toBeGreaterThan(1);
  });

  it("fail alone", async () => {
    const [known, ...ids] = newIds(6) as [string, ...string[]];
    await write(known);
    const settled = await Promise.allSettled([...ids, known].map(write));
    expect(settled.map((each) => each.status === "rejected" && sqlState(each.reason))).toEqual([
      ...ids.map(() => false),
      "23505",
    ]);
    expect((await written(ids)).ids).toEqual(ids);
  });

  it("do not wait for a lock that one of them needs", async () => {
    const [taken, ...ids] = newIds(4) as [string, ...string[]];
    let ended: Promise<unknown> | undefined;
    await database.db.$transaction(async (tx) => {
      await tx.$executeRaw(insertOf(taken));
      ended = write(taken).catch(sqlState);
      await Promise.all(ids.map(write));
    });
    expect(await ended).toBe("23505");
    expect((await written(ids)).ids).toEqual(ids);
  });

  it("change nothing if their connection breaks before all are written", async () => {
    const [id] = newIds(1) as [string];
    const waiting = Prisma.sql`
      INSERT INTO accounts (id, name) SELECT ${randomUUID()}::uuid, 'batch' FROM pg_sleep(60)`;
    const ended = Promise.allSettled([write(id), writeRows(database.db, waiting)]);
    await until(async () => {
      const [found] = await database.db.$queryRaw<object[]>`
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND query LIKE '%INSERT%pg_sleep(60)%' AND pid <> pg_backend_pid() AND state = 'active'`;
      return found !== undefined;
    });
    expect((await ended).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect((await written([id])).ids).toEqual([]);
  });
});

it("prepares a statement once, and plans one for its values each time, in and outside a transaction", async () => {
  const db = connectDb(database.url, 1, LONG_TIMEOUTS);
  const once = Prisma.sql`SELECT name FROM accounts WHERE name = ${"frequent"}`;
  const forValues = Prisma.sql`SELECT id FROM accounts WHERE ${plannedForValues(Prisma.sql`name = ${"rare"}`)}`;
  try {
    for (const statement of [once, forValues]) {
      await db.$queryRaw(statement);
      await db.$transaction((tx) => tx.$queryRaw(statement));
    }
    const prepared = await db.$queryRaw<{ statement: string }[]>`
      SELECT statement FROM pg_prepared_statements WHERE statement LIKE 'SELECT%accounts WHERE%'`;
    expect(prepared).toEqual([{ statement: once.text }]);
  } finally {
    await db.$disconnect();
  }
});

it("leaves nothing in a session that a pooler shares", async () => {
  const url = new URL(database.url);
  url.searchParams.set("pgbouncer", "true");
  const db = connectDb(url.href, 1, LONG_TIMEOUTS);
  const guard = { name: "guard", text: "SELECT $1::int", values: [1] };
  try {
    await db.account.count();
    await guarded(guard, () => db.account.create({ data: { id: randomUUID(), name: "guarded" } }));
    const [left] = await db.$queryRaw<object[]>`
      SELECT (SELECT count(*)::int FROM pg_prepared_statements) AS statements,
        (SELECT count(*)::int FROM pg_settings WHERE name LIKE '%transaction%timeout' AND source = 'session') AS limits`;
    expect(left).toEqual({ statements: 0, limits: 0 });
  } finally {
    await db.$disconnect();
  }
});

it("survives a connection that breaks between two statements, and fails the next statement", async () => {
  const pool = new GuardedPool({ connectionString: database.url });
  const client = await pool.connect();
  const { rows } = await client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
  const ended = new Promise((resolve) => client.once("end", resolve));
  await database.db.$queryRaw`SELECT pg_terminate_backend(${rows[0]?.pid}::int)`;
  await ended;
  await expect(client.query("SELECT 1")).rejects.toThrow();
  client.release();
  await pool.end();
});

it("reads an error of Prisma and one of the driver alike", async () => {
  const id = randomUUID();
  const insert = Prisma.sql`INSERT INTO accounts (id, name) VALUES (${id}::uuid, 'twice')`;
  await database.db.$queryRaw(insert);
  for (const attempt of [() => database.db.$queryRaw(insert), () => database.db.$executeRaw(insert)]) {
    const error = await attempt().catch((thrown) => thrown);
    expect([sqlState(error), violatedUnique(error), isUnavailable(error)]).toEqual(["23505", "accounts_pkey", false]);
  }
  const nowhere = connectDb("postgresql://postgres@127.0.0.1:1/none");
  for (const attempt of [() => nowhere.$queryRaw`SELECT 1`, () => nowhere.account.count()]) {
    const error = await attempt().catch((thrown) => thrown);
    expect([sqlState(error), isUnavailable(error)]).toEqual([undefined, true]);
  }
  await nowhere.$disconnect();
});

it("reads an error of a pool without a free connection as one that may pass", async () => {
  const small = connectDb(database.url, 1, { ...LONG_TIMEOUTS, connectSeconds: 0.1 });
  await until(() => small.$queryRaw`SELECT 1`.catch(() => false));
  await small.$transaction(
    async () => {
      const attempts = [
        () => small.$queryRaw`SELECT 1`,
        () => small.account.count(),
        () => small.$transaction(async () => {}),
      ];
      for (const attempt of attempts) expect(isUnavailable(await attempt().catch((thrown) => thrown))).toBe(true);
    },
    { maxWait: 300_000 },
  );
  await small.$disconnect();
});

describe("a guarded write", () => {
  const passing = { name: "passing", text: "SELECT $1::int", values: [1] };
  const refusing = { name: "refusing", text: "SELECT 1 / $1::int", values: [0] };
  const account = (id: string) => ({ id, name: "guarded" });
  const membership = (id: string) => ({
    ...account(id),
    memberships: { create: { id: randomUUID(), role: "owner" as const, user: { create: user() } } },
  });
  const user = () => ({ id: randomUUID(), name: "Guarded", email: `${randomUUID()}@example.com`, passwordHash: "" });
  const writes: [string, (id: string) => PromiseLike<unknown>][] = [
    ["one statement", (id) => database.db.account.create({ data: account(id) })],
    ["several statements", (id) => database.db.account.create({ data: membership(id) })],
    ["a raw statement", (id) => database.db.$executeRaw`INSERT INTO accounts (id, name) VALUES (${id}::uuid, 'raw')`],
    ["a raw query", (id) => database.db.$queryRaw`INSERT INTO accounts (id, name) VALUES (${id}::uuid, 'raw')`],
    ["a few rows", (id) => writeRows(database.db, insertInto("accounts", account(id)))],
  ];

  it.each(writes)("of %s is carried out after a guard that passes", async (_, write) => {
    const id = randomUUID();
    await guarded(passing, () => write(id));
    expect(await database.db.account.count({ where: { id } })).toBe(1);
  });

  it.each(writes)("of %s changes nothing after a guard that fails, and throws the guard's error", async (_, write) => {
    const id = randomUUID();
    const error = await guarded(refusing, () => write(id)).catch((thrown) => thrown);
    expect(sqlState(error)).toBe("22012");
    expect(await database.db.account.count({ where: { id } })).toBe(0);
  });

  it.each(writes)("of %s that fails throws its own error and rolls the guard back", async (_, write) => {
    const [id, other] = [randomUUID(), randomUUID()];
    await database.db.account.create({ data: account(id) });
    const text = "INSERT INTO accounts (id, name) VALUES ($1::uuid, 'by the guard')";
    const error = await guarded({ name: "inserting", text, values: [other] }, () => write(id)).catch(
      (thrown) => thrown,
    );
    expect(violatedUnique(error)).toBe("accounts_pkey");
    expect(await database.db.account.count({ where: { id: other } })).toBe(0);
  });

  it("guards no concurrent write", async () => {
    const write = guarded(refusing, () => database.db.account.create({ data: account(randomUUID()) }));
    const refusal = expect(write).rejects.toThrow();
    const accounts = await Promise.all(
      Array.from({ length: 20 }, () => database.db.account.create({ data: account(randomUUID()) })),
    );
    await refusal;
    expect(await database.db.account.count({ where: { id: { in: accounts.map(({ id }) => id) } } })).toBe(20);
  });
});
