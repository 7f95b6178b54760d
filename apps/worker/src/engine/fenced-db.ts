import { type Db, guarded, type Request, sqlState } from "@gantry/db";
import { LeaseLost } from "./stage-errors.js";

const READS = /^(find|count|aggregate|groupBy)/;

/** A Request and the fence of one claim of it. Each claim has a higher fence, which refuses the writes of earlier ones. */
export type Fence = Pick<Request, "id" | "fence">;

export type FencedDb = ReturnType<typeof fencedDb>;

/**
 * Returns a client for one run of a Request: every write happens in one transaction with a check that this worker still
 * holds the Request, so that a worker that lost its lease can change nothing.
 */
export function fencedDb(db: Db, request: Fence) {
  return db.$extends({
    query: {
      $allOperations: ({ operation, args, query }) =>
        READS.test(operation) ? query(args) : writeFenced(request, () => query(args)),
    },
  });
}

/**
 * Runs a write in one transaction that first locks the Request's row and compares the fence.
 *
 * @throws LeaseLost if another worker has taken the Request over; nothing is written then
 */
export async function writeFenced<T>({ id, fence }: Fence, write: () => PromiseLike<T>): Promise<T> {
  const hold = { name: "hold_request", text: "SELECT hold_request($1::uuid, $2::int)", values: [id, fence] };
  return throwingLeaseLost(guarded(hold, write));
}

/** @throws LeaseLost if the database refused the write because the fence is no longer held */
export async function throwingLeaseLost<T>(write: Promise<T>): Promise<T> {
  try {
    return await write;
  } catch (error) {
    throw sqlState(error) === "GF001" ? new LeaseLost() : error;
  }
}
