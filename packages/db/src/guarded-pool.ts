import { AsyncLocalStorage } from "node:async_hooks";
import { isTracing } from "@gantry/telemetry";
import pg from "pg";
import { sqlSpan, traceStatements } from "./sql-span.js";

/** A statement that fails in PostgreSQL if the write after it is not allowed. */
export interface Guard {
  name: string;
  text: string;
  values: unknown[];
}

const guards = new AsyncLocalStorage<Guard>();

/**
 * Carries out a write in one transaction, after a guard. One round trip carries both.
 *
 * @param write a query of a client that `connectDb` has created, raw or not
 * @throws the guard's error, or the write's; nothing is written then
 */
export function guarded<T>(guard: Guard, write: () => PromiseLike<T>): Promise<T> {
  return guards.run(guard, async () => await write());
}

/** Returns whether the caller runs in `guarded`. */
export function isGuarded(): boolean {
  return guards.getStore() !== undefined;
}

/** A pool that puts the guard of the current `guarded` call before its write. */
export class GuardedPool extends pg.Pool {
  /** @param namesGuards whether a guard's statement is prepared once for each connection */
  constructor(config: pg.PoolConfig, { namesGuards = true } = {}) {
    super({ ...config, pipeline: true });
    // Without a listener a connection that breaks between two statements would end the process.
    this.on("connect", (client) => client.on("error", () => {}));
    if (isTracing()) this.on("connect", traceStatements);
    const query = this.query.bind(this) as (...args: unknown[]) => Promise<pg.QueryResult>;
    const connect = this.connect.bind(this) as (...args: unknown[]) => Promise<pg.PoolClient>;

    const statementOf = ({ name, ...statement }: Guard) => (namesGuards ? { name, ...statement } : statement);
    const queryGuarded = async (guard: Guard, write: pg.QueryConfig): Promise<pg.QueryResult> => {
      const client = await connect();
      const statements = ["BEGIN", statementOf(guard), write, "COMMIT"].map((part) =>
        client.query(part as pg.QueryConfig),
      );
      const [, , result] = await allOf(statements).finally(() => client.release());
      return result as pg.QueryResult;
    };

    // For a write of several statements: the BEGIN that Prisma sends after this one only causes a warning.
    const connectGuarded = async (guard: Guard): Promise<pg.PoolClient> => {
      const client = await connect();
      try {
        await allOf(["BEGIN", statementOf(guard)].map((part) => client.query(part as pg.QueryConfig)));
        return client;
      } catch (error) {
        await client.query("ROLLBACK").catch(() => {});
        client.release();
        throw error;
      }
    };

    this.query = ((...args: [pg.QueryConfig]) => {
      const guard = guards.getStore();
      if (guard) return queryGuarded(guard, ...args);
      return isTracing() ? sqlSpan(args[0], () => query(...args)) : query(...args);
    }) as typeof this.query;
    this.connect = ((...args: unknown[]) => {
      const guard = guards.getStore();
      return guard && args.length === 0 ? connectGuarded(guard) : connect(...args);
    }) as typeof this.connect;
  }
}

/** The results of all promises, once all have settled; throws the first error. */
async function allOf<T>(promises: Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}
