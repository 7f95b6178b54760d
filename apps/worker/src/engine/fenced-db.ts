import { type Db, type Prisma, sqlState } from "@gantry/db";
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
          const [result] = await writeFenced(db, requestId, fence, [query(args) as Prisma.PrismaPromise<unknown>]);
          return result;
        },
      },
    },
  });
}

/**
 * Carries out writes in one transaction that first holds the Request's row against the fence; gives their results.
 *
 * @throws Replaced where another worker has taken the Request over; nothing is written then
 */
export async function writeFenced(
  db: Db,
  requestId: string,
  fence: number,
  writes: Prisma.PrismaPromise<unknown>[],
): Promise<unknown[]> {
  try {
    const hold = db.$executeRaw`SELECT hold_fence(${requestId}::uuid, ${fence}::int)`;
    const [, ...results] = await db.$transaction([hold, ...writes]);
    return results;
  } catch (error) {
    throw sqlState(error) === "GF001" ? new Replaced("another worker took the Request over") : error;
  }
}
