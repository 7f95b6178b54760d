import type { Db, Tx } from "@gantry/db";
import { LRUCache } from "lru-cache";
import { HttpError } from "../errors/errors.js";

const COUNTED_EVERY_MS = 1000;
const RETRY_AFTER_SECONDS = "5";

interface UnfinishedRequests {
  limit: number;
  unfinished: number;
}

/**
 * Limits the unfinished Requests of each account. They are counted once a second, and by each process in between:
 * several processes may together exceed a limit by what they accept in a second. Requests that others created do not
 * count.
 */
export class UnfinishedRequestLimit {
  private readonly accounts: LRUCache<string, UnfinishedRequests, Db | Tx>;

  /** @param limit of the accounts whose record names no other */
  constructor(limit: number) {
    this.accounts = new LRUCache({
      max: 10_000,
      ttl: COUNTED_EVERY_MS,
      fetchMethod: async (accountId, _stale, { context: db }) => {
        const [counted] = await db.$queryRaw<{ own: number | null; unfinished: bigint }[]>`
          SELECT open_request_limit AS own, (SELECT count(*) FROM requests
            WHERE account_id = accounts.id AND finished_at IS NULL AND parent_id IS NULL) AS unfinished
          FROM accounts WHERE id = ${accountId}::uuid`;
        return { limit: counted?.own ?? limit, unfinished: Number(counted?.unfinished ?? 0) };
      },
    });
  }

  /**
   * Counts one more, and returns how many there were before.
   *
   * @param db the caller's transaction, if any: one that waited for another connection could wait for itself
   * @throws 429 with `Retry-After` if the account has as many as it may have
   */
  async take(db: Db | Tx, accountId: string): Promise<number> {
    const account = await this.accounts.fetch(accountId, { context: db });
    if (!account) return 0;
    if (account.unfinished >= account.limit) {
      const sentence = `the account has reached its limit of ${account.limit} unfinished requests; wait until some have finished`;
      throw new HttpError(429, "too_many_open_requests", [sentence], {
        headers: { "Retry-After": RETRY_AFTER_SECONDS },
      });
    }
    return account.unfinished++;
  }
}
