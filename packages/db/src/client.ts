import { createHash } from "node:crypto";
import { PrismaPg } from "@prisma/adapter-pg";
import { type Prisma, PrismaClient } from "./generated/client.js";

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

/**
 * Opens a database client; it connects when first used.
 *
 * @param url a `postgresql://` address
 * @param poolSize the number of connections it may hold
 */
export function openDb(url: string, poolSize = 16): Db {
  const pool = { connectionString: url, max: poolSize, connectionTimeoutMillis: 5000, keepAlive: true };
  const adapter = new PrismaPg(pool, { statementNameGenerator: statementName });
  return new PrismaClient({ adapter, transactionOptions: { maxWait: 5000, timeout: 10_000 } });
}
