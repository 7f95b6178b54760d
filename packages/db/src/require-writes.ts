import type { Db } from "./client.js";

/** Rows that do not fit into `work_mem` below. */
const SPILLED_ROWS = 10_000;

/**
 * Proves that the database accepts writes. Leaves nothing behind, and waits for nobody:
 *
 * - rows that exceed the memory of a query go into a temporary file of 140 kB, which a full disk refuses. Only a file that
 *   grows shows that: PostgreSQL continues to change rows in place on a full disk.
 * - the lock of a row is written to its page and to the log, which a standby and a read-only mode refuse.
 *
 * @throws the error of PostgreSQL if it accepts no writes
 */
export async function requireWrites(db: Pick<Db, "$transaction" | "$executeRaw">): Promise<void> {
  await db.$transaction([
    db.$executeRaw`SET LOCAL work_mem = '64kB'`,
    db.$executeRaw`SELECT count(*) FROM generate_series(1, ${SPILLED_ROWS}::int)`,
    db.$executeRaw`SELECT FROM event_clocks FOR NO KEY UPDATE SKIP LOCKED`,
  ]);
}
