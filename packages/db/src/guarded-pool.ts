import { AsyncLocalStorage } from "node:async_hooks";
import pg from "pg";

/** A statement that throws in PostgreSQL where what follows it must not be carried out. */
export interface Guard {
  name: string;
  text: string;
  values: unknown[];
}

const guards = new AsyncLocalStorage<Guard>();

/**
 * Carries out a write in one transaction with a guard that goes before it. Both travel together, so that the guard costs
 * no round trip.
 *
 * @param write a query of Prisma's, or a raw one, of a client that `openDb` has opened
 * @throws what the guard threw, or the write; nothing is written then
 */
export function guarded<T>(guard: Guard, write: () => PromiseLike<T>): Promise<T> {
  return guards.run(guard, async () => await write());
}

/** A pool whose connections carry the guard of the write under way. */
export class GuardedPool extends pg.Pool {
  constructor(config: pg.PoolConfig) {
    super({ ...config, pipeline: true });
    // One that breaks between two statements tells nobody else, and its next statement fails.
    this.on("connect", (client) => client.on("error", () => {}));
    const query = this.query.bind(this) as (...args: unknown[]) => Promise<pg.QueryResult>;
    const connect = this.connect.bind(this) as (...args: unknown[]) => Promise<pg.PoolClient>;

    const queryGuarded = async (guard: Guard, written: pg.QueryConfig): Promise<pg.QueryResult> => {
      const client = await connect();
      const parts = ["BEGIN", guard, written, "COMMIT"].map((part) => client.query(part as pg.QueryConfig));
      const [, , result] = await allOf(parts).finally(() => client.release());
      return result as pg.QueryResult;
    };

    // For a write of several statements. PostgreSQL only remarks that the transaction which Prisma begins has begun already.
    const connectGuarded = async (guard: Guard): Promise<pg.PoolClient> => {
      const client = await connect();
      try {
        await allOf(["BEGIN", guard].map((part) => client.query(part as pg.QueryConfig)));
        return client;
      } catch (error) {
        await client.query("ROLLBACK").catch(() => {});
        client.release();
        throw error;
      }
    };

    this.query = ((...args: [pg.QueryConfig]) => {
      const guard = guards.getStore();
      return guard ? queryGuarded(guard, ...args) : query(...args);
    }) as typeof this.query;
    this.connect = ((...args: unknown[]) => {
      const guard = guards.getStore();
      return guard && args.length === 0 ? connectGuarded(guard) : connect(...args);
    }) as typeof this.connect;
  }
}

/** The results of all, once all have ended; throws what the first one that failed has thrown. */
async function allOf<T>(parts: Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(parts);
  return Promise.all(parts);
}
