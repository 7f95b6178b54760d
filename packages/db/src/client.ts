import { createHash } from "node:crypto";
import { PrismaPg } from "@prisma/adapter-pg";
import pg from "pg";
import { Prisma, PrismaClient } from "./generated/client.js";
import { GuardedPool } from "./guarded-pool.js";

export type Db = PrismaClient;

/** A client inside a transaction. */
export type Tx = Prisma.TransactionClient;

const statementNames = new Map<string, string>();

// Prepared once per connection; a name for every distinct text, short enough for PostgreSQL's 63 bytes.
function statementName({ sql }: { sql: string }): string {
  let name = statementNames.get(sql);
  if (!name) {
    name = `g${createHash("sha1").update(sql).digest("base64url")}`;
    statementNames.set(sql, name);
  }
  return name;
}

/** The longest waits of a database client, in seconds. */
export interface DbTimeouts {
  /** For a connection. */
  connectSeconds: number;
  /** For the end of an interactive transaction. */
  transactionSeconds: number;
}

const TIMEOUTS: DbTimeouts = { connectSeconds: 5, transactionSeconds: 10 };

/**
 * Opens a database client; it connects when first used.
 *
 * Its `$queryRaw` outside a transaction goes straight to the pool: the same connections and prepared statements, at a
 * third of the cost of Prisma's own way. Errors of both are read by the functions of `failures.ts`.
 *
 * @param url a `postgresql://` address
 * @param poolSize the number of connections it may hold
 * @param timeouts what waits longer fails
 */
export function openDb(url: string, poolSize = 16, timeouts = TIMEOUTS): Db {
  const maxWait = timeouts.connectSeconds * 1000;
  const pool = new GuardedPool({
    connectionString: url,
    max: poolSize,
    connectionTimeoutMillis: maxWait,
    keepAlive: true,
    types: { getTypeParser },
  });
  // A connection that breaks while it is idle is replaced when the next is wanted.
  pool.on("error", () => {});
  const adapter = new PrismaPg(pool, { statementNameGenerator: statementName, disposeExternalPool: true });
  const transactionOptions = { maxWait, timeout: timeouts.transactionSeconds * 1000 };
  const db = new PrismaClient({ adapter, transactionOptions });
  const prismaQueryRaw = db.$queryRaw;
  const $queryRaw = function (this: unknown, query: TemplateStringsArray | Prisma.Sql, ...values: unknown[]) {
    // A transaction and an extended client inherit this function; what they ask goes Prisma's way.
    if (this !== db) return prismaQueryRaw.call(this as Db, query, ...values);
    const { text, values: parameters } = query instanceof Prisma.Sql ? query : Prisma.sql(query, ...values);
    return pool.query({ name: statementName({ sql: text }), text, values: parameters }).then(({ rows }) => rows);
  };
  return Object.assign(db, { $queryRaw }) as Db;
}

// As Prisma reads it: a number of 64 bits is a bigint.
const getTypeParser = ((oid: number, format?: "text" | "binary") =>
  oid === pg.types.builtins.INT8
    ? BigInt
    : pg.types.getTypeParser(oid, format as "text")) as typeof pg.types.getTypeParser;
