import { type Db, sqlState } from "@gantry/db";
import { Replaced } from "./signals.js";

const READS = /^(find|count|aggregate|groupBy)/;

export type FencedDb = ReturnType<typeof fencedDb>;

/**
 * A client for one run of a Request: every write happens in one transaction with a check that this worker still holds
 * the Request, so that a worker that was replaced can change nothing.
 */
export function fencedDb(db: Db, requestId: string, fence: number) {
  return db.$extends({
    query: {
      $allModels: {
        async $allOperations({ operation, args, query }) {
          if (READS.test(operation)) return query(args);
          try {
            const [, result] = await db.$transaction([
              db.$executeRaw`SELECT hold_fence(${requestId}::uuid, ${fence}::int)`,
              query(args) as ReturnType<typeof db.$executeRaw>,
            ]);
            return result;
          } catch (error) {
            throw sqlState(error) === "GF001" ? new Replaced("another worker took the Request over") : error;
          }
        },
      },
    },
  });
}
