import { isTracing } from "@gantry/telemetry";
import type pg from "pg";
import { sqlSpan } from "./sql-span.js";

/** The reads that one connection gets at once: PostgreSQL answers them one after the other. */
const MOST = 8;

interface Waiting {
  statement: pg.QueryConfig;
  resolve(result: pg.QueryResult): void;
  reject(error: unknown): void;
}

/** A connection's socket, which node-postgres does not declare. */
interface Corkable {
  connection: { stream: { cork(): void; uncork(): void } };
}

/**
 * Sends short reads of the same turn of the event loop together. Under load, that saves most of the writes to and the reads
 * from sockets, which cost more than all else in a read.
 */
export class BatchedReads {
  private waiting: Waiting[] = [];

  constructor(private readonly pool: pg.Pool) {}

  /** Runs a statement that reads few rows by their keys: others may wait for it. */
  query(statement: pg.QueryConfig): Promise<pg.QueryResult> {
    const read = () =>
      new Promise<pg.QueryResult>((resolve, reject) => {
        this.waiting.push({ statement, resolve, reject });
        if (this.waiting.length === 1) setImmediate(() => this.sendAll());
      });
    return isTracing() ? sqlSpan(statement, read) : read();
  }

  private sendAll(): void {
    const { waiting } = this;
    this.waiting = [];
    for (let start = 0; start < waiting.length; start += MOST) void this.send(waiting.slice(start, start + MOST));
  }

  private async send(batch: Waiting[]): Promise<void> {
    let client: pg.PoolClient;
    try {
      client = await this.pool.connect();
    } catch (error) {
      for (const { reject } of batch) reject(error);
      return;
    }
    const { stream } = (client as unknown as Corkable).connection;
    stream.cork();
    const sent = batch.map(({ statement, resolve, reject }) => client.query(statement).then(resolve, reject));
    stream.uncork();
    await Promise.all(sent);
    client.release();
  }
}
