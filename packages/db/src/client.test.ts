import { randomUUID } from "node:crypto";
import { cloneDatabase, type TestDatabase } from "@gantry/test/support/stack";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { isUnreachable, openDb, Prisma, sqlState, violatedUnique } from "./index.js";

let database: TestDatabase;
beforeAll(async () => {
  database = await cloneDatabase();
});
afterAll(() => database.drop());

it("runs a raw query of a transaction inside it", async () => {
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

it("reads values as Prisma does, in and outside a transaction", async () => {
  const query = Prisma.sql`SELECT 1::int8 AS big, 2::int4 AS small, 1.5::float8 AS real, true AS flag, null AS nothing,
    '{"a": [1]}'::jsonb AS json, 'x'::text AS text, '2026-01-02T03:04:05.678Z'::timestamptz AS time,
    '\\x0102'::bytea AS bytes, array['a', 'b'] AS list, '00000000-0000-0000-0000-000000000001'::uuid AS id`;
  const [direct] = await database.db.$queryRaw<Record<string, unknown>[]>(query);
  const [inside] = await database.db.$transaction((tx) => tx.$queryRaw<Record<string, unknown>[]>(query));
  const plain = (row: Record<string, unknown> = {}) => ({ ...row, bytes: Array.from(row.bytes as Uint8Array) });
  expect(plain(direct)).toEqual(plain(inside));
});

it("tells the same of a failure whichever way it came", async () => {
  const id = randomUUID();
  const insert = Prisma.sql`INSERT INTO accounts (id, name) VALUES (${id}::uuid, 'twice')`;
  await database.db.$queryRaw(insert);
  for (const attempt of [() => database.db.$queryRaw(insert), () => database.db.$executeRaw(insert)]) {
    const error = await attempt().catch((thrown) => thrown);
    expect([sqlState(error), violatedUnique(error), isUnreachable(error)]).toEqual(["23505", "accounts_pkey", false]);
  }
  const nowhere = openDb("postgresql://postgres@127.0.0.1:1/none");
  for (const attempt of [() => nowhere.$queryRaw`SELECT 1`, () => nowhere.account.count()]) {
    const error = await attempt().catch((thrown) => thrown);
    expect([sqlState(error), isUnreachable(error)]).toEqual([undefined, true]);
  }
  await nowhere.$disconnect();
});
