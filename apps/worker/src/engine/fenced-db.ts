import { type Db, guarded, sqlState } from "@gantry/db";
import { LeaseLost } from "./stage-errors.js";

const READS = /^(find|count|aggregate|groupBy)/;

export type FencedDb = ReturnType<typeof fencedDb>;

/**
 * A client for one run of a Request: every write happens in one transaction with a check that this worker still holds
 * the Request, so that a worker that was replaced can change nothing.
 */
export function fencedDb(db: Db, requestId: string, fence: number) {
  return db.$extends({
    query: {
      $allOperations: ({ operation, args, query }) =>
        READS.test(operation) ? query(args) : writeFenced(requestId, fence, () => query(args)),
    },
  });
}

/**
 * Carries out a write in one transaction that first holds the Request's row against the fence.
 *
 * @throws Replaced where another worker has taken the Request over; nothing is written then
 */
export async function writeFenced<T>(requestId: string, fence: number, write: () => PromiseLike<T>): Promise<T> {
  const hold = { name: "hold_request", text: "SELECT hold_request($1::uuid, $2::int)", values: [requestId, fence] };
  return throwingLeaseLost(guarded(hold, write));
}

/** @throws Replaced where a write was refused since its fence is no longer held */
export async function throwingLeaseLost<T>(write: Promise<T>): Promise<T> {
  try {
    return await write;
  } catch (error) {
    throw sqlState(error) === "GF001" ? new LeaseLost("another worker took the Request over") : error;
  }
}
