import { createHash } from "node:crypto";
import { channel } from "node:diagnostics_channel";
import { PrismaPg } from "@prisma/adapter-pg";
import pg from "pg";
import { Batches, type BatchKind } from "./batches.js";
import { Prisma, PrismaClient } from "./generated/client.js";
import { GuardedPool, isGuarded } from "./guarded-pool.js";
import { isPooled } from "./pooler.js";

export type Db = PrismaClient;

/** A client inside a transaction. */
export type Tx = Prisma.TransactionClient;

const FOR_VALUES = "/* planned for its values */";

/**
 * Makes PostgreSQL plan the condition's statement for the values of every call. A prepared statement is planned once for
 * any value, which reads many rows if the usual value is frequent and the given one is rare.
 */
export function plannedForValues(condition: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`${Prisma.raw(FOR_VALUES)} ${condition}`;
}

/** Gets the text of every `$queryRaw`, on the stack of its caller. */
const statements = channel("gantry:statement");

const statementNames = new Map<string, string>();

// Statements are prepared once per connection and name; one without a name is planned again each time. A name has at
// most 63 bytes in PostgreSQL.
function statementName({ sql }: { sql: string }): string {
  let name = statementNames.get(sql);
  if (name === undefined) {
    name = sql.includes(FOR_VALUES) ? "" : `g${createHash("sha1").update(sql).digest("base64url")}`;
    statementNames.set(sql, name);
  }
  return name;
}

/** The use of a client's connections. */
export interface PoolUse {
  used: number;
  idle: number;
  /** The statements that wait for a connection. */
  waiting: number;
}

/** The longest waits of a database client, in seconds. */
export interface DbTimeouts {
  /** For a connection. */
  connectSeconds: number;
  /** For the end of an interactive transaction. */
  transactionSeconds: number;
  /** For the next statement of a transaction, after which PostgreSQL ends the session. */
  idleTransactionSeconds: number;
  /** For the end of any transaction, after which PostgreSQL 17 and newer end the session. */
  sessionTransactionSeconds: number;
}

export const TIMEOUTS: DbTimeouts = {
  connectSeconds: 5,
  transactionSeconds: 10,
  idleTransactionSeconds: 60,
  sessionTransactionSeconds: 300,
};

/**
 * Opens a database client, which connects at its first query.
 *
 * Its `$queryRaw` outside a transaction uses the pool directly: the same connections and prepared statements, at a third
 * of the cost of Prisma's way. The functions of `database-errors.ts` read the errors of both ways.
 *
 * @param url a `postgresql://` address. With `pgbouncer=true` statements have no names and sessions keep their settings.
 * @param poolSize the greatest number of connections
 * @param timeouts the longest waits for a connection and for a transaction
 */
export function connectDb(url: string, poolSize = 16, timeouts = TIMEOUTS): Db {
  const maxWait = timeouts.connectSeconds * 1000;
  // A pooler runs the next transaction in another session.
  const sharesSessions = isPooled(url);
  const nameOf = sharesSessions ? () => "" : statementName;
  const pool = new GuardedPool(
    {
      connectionString: url,
      max: poolSize,
      connectionTimeoutMillis: maxWait,
      keepAlive: true,
      types: { getTypeParser },
      ...(!sharesSessions && { onConnect: (client) => setUpSession(client, timeouts) }),
    },
    { namesGuards: !sharesSessions },
  );
  // The pool replaces an idle connection that breaks.
  pool.on("error", () => {});
  const adapter = new PrismaPg(pool, { statementNameGenerator: nameOf, disposeExternalPool: true });
  const transactionOptions = { maxWait, timeout: timeouts.transactionSeconds * 1000 };
  const db = new PrismaClient({ adapter, transactionOptions });
  const prismaQueryRaw = db.$queryRaw;
  const $queryRaw = function (this: unknown, query: TemplateStringsArray | Prisma.Sql, ...values: unknown[]) {
    const sql = query instanceof Prisma.Sql ? query : Prisma.sql(query, ...values);
    if (statements.hasSubscribers) statements.publish({ text: sql.text });
    // A transaction and an extended client inherit this function, and need Prisma's way.
    if (this !== db) return prismaQueryRaw.call(this as Db, sql);
    const { text, values: parameters } = sql;
    return pool.query({ name: nameOf({ sql: text }), text, values: parameters }).then(({ rows }) => rows);
  };
  const client = Object.assign(db, { $queryRaw }) as Db;
  pools.set(client, pool);
  const inBatches = (kind: BatchKind) => {
    const batches = new Batches(pool, kind);
    return async ({ text, values }: Prisma.Sql) => {
      if (statements.hasSubscribers) statements.publish({ text });
      return (await batches.query({ name: nameOf({ sql: text }), text, values })).rows;
    };
  };
  batched.set(client, { reads: inBatches("reads"), writes: inBatches("writes") });
  return client;
}

const pools = new WeakMap<Db, pg.Pool>();
const batched = new WeakMap<Db | Tx, Record<BatchKind, (sql: Prisma.Sql) => Promise<unknown>>>();

/**
 * Reads rows by their keys: outside a transaction together with other such reads of the moment, which wait for each other.
 *
 * @throws as `$queryRaw` does
 */
export function readByKey<T>(db: Db | Tx, sql: Prisma.Sql): Promise<T> {
  return inBatch(db, "reads", sql);
}

/**
 * Writes a few rows with one statement: outside a transaction together with other such writes of the moment, which share a
 * transaction.
 *
 * @throws as `$queryRaw` does; nothing of `sql` is written then
 */
export function writeRows(db: Db | Tx, sql: Prisma.Sql): Promise<unknown> {
  return inBatch(db, "writes", sql);
}

function inBatch<T>(db: Db | Tx, kind: BatchKind, sql: Prisma.Sql): Promise<T> {
  // A batch of several calls has no place for the guard of one.
  const run = isGuarded() ? undefined : batched.get(db)?.[kind];
  return run ? (run(sql) as Promise<T>) : db.$queryRaw<T>(sql);
}

/** Returns how many connections a client of `connectDb` has open, and how many statements wait for one. */
export function poolUse(db: Db): PoolUse {
  const { totalCount = 0, idleCount = 0, waitingCount = 0 } = pools.get(db) ?? {};
  return { used: totalCount - idleCount, idle: idleCount, waiting: waitingCount };
}

/** The settings that each session of an app needs, by name. PostgreSQL 16 and older have no limit for a whole transaction. */
export function sessionSettings(timeouts = TIMEOUTS): Record<string, string> {
  return {
    // No event is readable before every older transaction has ended, and a process that hangs does not end its own.
    idle_in_transaction_session_timeout: `${timeouts.idleTransactionSeconds * 1000}ms`,
    transaction_timeout: `${timeouts.sessionTransactionSeconds * 1000}ms`,
    // No statement runs for long enough to repay its compilation, which took 200 ms of a read of events that takes 1 ms.
    jit: "off",
  };
}

async function setUpSession(client: pg.ClientBase, timeouts: DbTimeouts): Promise<void> {
  const settings = Object.entries(sessionSettings(timeouts));
  await client.query(
    `SELECT set_config(name, value, false) FROM unnest($1::text[], $2::text[]) AS wanted (name, value)
    JOIN pg_settings USING (name)`,
    [settings.map(([name]) => name), settings.map(([, value]) => value)],
  );
}

// Prisma reads a number of 64 bits as a bigint, too.
const getTypeParser = ((oid: number, format?: "text" | "binary") =>
  oid === pg.types.builtins.INT8
    ? BigInt
    : pg.types.getTypeParser(oid, format as "text")) as typeof pg.types.getTypeParser;
