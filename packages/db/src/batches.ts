import { isTracing } from "@gantry/telemetry";
import type pg from "pg";
import { queryWithoutSpan, sqlSpan } from "./sql-span.js";

/** The statements that one connection gets at once: PostgreSQL answers them one after the other. */
const MOST = 8;
/** How long a write may wait for a lock while others wait for it. */
const LOCK_MS = 100;
const BEGIN = [{ text: "BEGIN" }, { text: `SET LOCAL lock_timeout = ${LOCK_MS}` }];
const COMMIT = { text: "COMMIT" };

interface Waiting {
  statement: pg.QueryConfig;
  resolve(result: pg.QueryResult): void;
  reject(error: unknown): void;
}

/** Reads are by keys; writes of a batch share a transaction. */
export type BatchKind = "reads" | "writes";

/** A connection's socket, which node-postgres does not declare. */
interface Corkable {
  connection: { stream: { cork(): void; uncork(): void } };
}

/**
 * Sends short statements of the same turn of the event loop together. Under load, that saves most of the writes to and the
 * reads from sockets, which cost more than all else in a read. Writes share a transaction, so PostgreSQL waits for its disk
 * once.
 */
export class Batches {
  private waiting: Waiting[] = [];

  constructor(
    private readonly pool: pg.Pool,
    private readonly kind: BatchKind,
  ) {}

  /** Runs a statement for few rows: others may wait for it. A write that fails changes nothing, and fails alone. */
  query(statement: pg.QueryConfig): Promise<pg.QueryResult> {
    const run = () =>
      new Promise<pg.QueryResult>((resolve, reject) => {
        this.waiting.push({ statement, resolve, reject });
        if (this.waiting.length === 1) setImmediate(() => this.sendAll());
      });
    return isTracing() ? sqlSpan(statement, run) : run();
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
    const statements = batch.map(({ statement }) => statement);
    if (this.kind === "writes" && batch.length > 1) {
      const results = await Promise.allSettled(sendTogether(client, [...BEGIN, ...statements, COMMIT]));
      client.release();
      this.endWrites(batch, results);
    } else {
      await Promise.all(
        sendTogether(client, statements).map((sent, i) => sent.then(batch[i]?.resolve, batch[i]?.reject)),
      );
      client.release();
    }
  }

  /** @param results of the BEGIN, the writes and the COMMIT */
  private endWrites(batch: Waiting[], results: PromiseSettledResult<pg.QueryResult>[]): void {
    const commit = results.at(-1) as (typeof results)[number];
    for (const [i, waiting] of batch.entries()) {
      const own = results[i + BEGIN.length] as (typeof results)[number];
      // One write has failed or waits for a lock, and all were rolled back.
      if (commit.status === "fulfilled" && commit.value.command === "ROLLBACK") void this.send([waiting]);
      else if (commit.status === "fulfilled" && own.status === "fulfilled") waiting.resolve(own.value);
      else waiting.reject(commit.status === "rejected" ? commit.reason : (own as PromiseRejectedResult).reason);
    }
  }
}

/**
 * Sends statements with one write to the socket. Each caller's statement is a span of its trace already; the transaction
 * belongs to several traces, and is a span of none.
 */
function sendTogether(client: pg.PoolClient, statements: pg.QueryConfig[]): Promise<pg.QueryResult>[] {
  const { stream } = (client as unknown as Corkable).connection;
  stream.cork();
  const sent = statements.map((statement) => queryWithoutSpan(client, statement));
  stream.uncork();
  return sent;
}
