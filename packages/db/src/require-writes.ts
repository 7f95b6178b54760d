import type { Db } from "./client.js";

/**
 * Proves that the database accepts writes: locks a row, which PostgreSQL writes to its page and its log, and leaves nothing
 * behind. Waits for nobody.
 *
 * @throws the error of PostgreSQL if it accepts none, for example on a standby
 */
export async function requireWrites(db: Pick<Db, "$queryRaw">): Promise<void> {
  await db.$queryRaw`SELECT FROM event_clocks FOR NO KEY UPDATE SKIP LOCKED`;
}
