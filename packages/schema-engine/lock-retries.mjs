import { setTimeout as sleep } from "node:timers/promises";

/** The time that a migration waits for a lock; other queries on the table wait behind the migration. */
const LOCK_TIMEOUT_MS = 1000;
/** The pause between two attempts, in which the other queries run. */
const LOCK_PAUSE_MS = 1000;
const LOCK_TRIES = 60;
const LOCK_NOT_AVAILABLE = "55P03";

/**
 * Runs a script with a lock timeout, and retries it after a timeout: PostgreSQL rolls a script of several statements back as
 * a whole.
 */
export async function withLockRetries(pool, script) {
  // A concurrent statement blocks no query, and its interruption leaves an invalid index.
  if (/\bconcurrently\b/i.test(script)) return pool.query(script);
  await pool.query(`SET lock_timeout = ${LOCK_TIMEOUT_MS}`);
  try {
    for (let tries = 1; ; tries++) {
      try {
        return await pool.query(script);
      } catch (error) {
        if (error.code !== LOCK_NOT_AVAILABLE || tries === LOCK_TRIES) throw error;
        await sleep(LOCK_PAUSE_MS);
      }
    }
  } finally {
    await pool.query("RESET lock_timeout");
  }
}
