import { type Span, span } from "@gantry/telemetry";
import type { ClientBase, QueryConfig, QueryResult } from "pg";

/** The longest text of a statement in a trace. */
const LONGEST_TEXT = 2000;

const OPERATION = /\w+/;
const TABLE = /\b(?:FROM|INTO|UPDATE|JOIN)\s+(?:"?public"?\.)?"?(\w+)\b"?(?!\()/i;

/** Runs a statement as a span of the current trace: its text without its values, which are parameters. */
export function sqlSpan<T>(statement: string | QueryConfig, run: () => Promise<T>): Promise<T> {
  const text = typeof statement === "string" ? statement : statement.text;
  const operation = OPERATION.exec(text)?.[0].toUpperCase() ?? "";
  const table = TABLE.exec(text)?.[1];
  const summary = table ? `${operation} ${table}` : operation;
  const attributes = {
    "db.system.name": "postgresql",
    "db.operation.name": operation,
    "db.query.summary": summary,
    "db.query.text": text.slice(0, LONGEST_TEXT),
  };
  return span(summary, { kind: "client", attributes }, (statementSpan) => withErrorCode(statementSpan, run));
}

type Query = (...args: unknown[]) => Promise<unknown>;

/** The `query` of traced clients, without spans. */
const untraced = new WeakMap<ClientBase, Query>();

/** Makes every statement that a client of the pool sends in a transaction a span. */
export function traceStatements(client: ClientBase): void {
  const query = client.query.bind(client) as Query;
  untraced.set(client, query);
  client.query = ((...args: unknown[]) => {
    // The pool's own queries have a callback, and are spans already.
    if (typeof args.at(-1) === "function" || !isStatement(args[0])) return query(...args);
    return sqlSpan(args[0], () => query(...args));
  }) as typeof client.query;
}

/** Sends a statement without a span, since its caller has made one or it belongs to several traces. */
export function queryWithoutSpan(client: ClientBase, statement: QueryConfig): Promise<QueryResult> {
  return (untraced.get(client)?.(statement) as Promise<QueryResult> | undefined) ?? client.query(statement);
}

function isStatement(value: unknown): value is string | QueryConfig {
  return typeof value === "string" || typeof (value as QueryConfig | undefined)?.text === "string";
}

async function withErrorCode<T>(statementSpan: Span | undefined, run: () => Promise<T>): Promise<T> {
  if (!statementSpan) return run();
  try {
    return await run();
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (typeof code === "string") statementSpan.set({ "db.response.status_code": code });
    throw error;
  }
}
