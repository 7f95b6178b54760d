import { types } from "node:util";
import pg from "pg";
import { Prisma } from "./generated/client.js";

interface Cause {
  /** The SQLSTATE, if PostgreSQL answered. */
  originalCode?: string | undefined;
  kind?: string;
  constraint?: { index?: string | undefined };
}

// An error comes from the driver, or from Prisma with the driver's inside.
function causeOf(error: unknown): Cause {
  if (error instanceof pg.DatabaseError) return { originalCode: error.code, constraint: { index: error.constraint } };
  if (!(error instanceof Prisma.PrismaClientKnownRequestError)) return {};
  return (error.meta as { driverAdapterError?: { cause?: Cause } } | undefined)?.driverAdapterError?.cause ?? {};
}

/** The SQLSTATE of a failed statement, or undefined if PostgreSQL returned none. */
export function sqlState(error: unknown): string | undefined {
  return causeOf(error).originalCode;
}

/** The unique constraint that a statement violated, or undefined for every other error. */
export function violatedUnique(error: unknown): string | undefined {
  const { originalCode, constraint } = causeOf(error);
  return originalCode === "23505" ? (constraint?.index ?? "") : undefined;
}

const UNREACHABLE_KINDS = new Set(["DatabaseNotReachable", "ConnectionClosed", "SocketTimeout", "TooManyConnections"]);
const UNREACHABLE_CODES = new Set(["P1001", "P1002", "P1008", "P1017", "P2024", "P2028", "P2037"]);
// Classes of PostgreSQL's Appendix A in which the state of the server is to blame and not the statement:
// 08 connection, 40 rollback (deadlock, serialization), 53 resources (disk, memory, connections), 55 locks and states that
// pass, 57 intervention of an operator (shutdown, cancellation), 58 input and output. Of class 25, states of transactions,
// 25006: the server accepts no writes, and 25P03 and 25P04: the transaction was idle, or lasted, for too long.
const UNAVAILABLE_STATES = /^(08|40|53|55|57|58)|^25(006|P03|P04)$/;
const BROKEN_CONNECTION =
  /ECONNRE|EPIPE|ETIMEDOUT|ENOTFOUND|Connection terminated|connection timeout|Client has encountered|trying to connect/i;

/**
 * True if the database could not carry out a statement now: it was unreachable, too busy or accepted no writes, or no
 * connection of the pool became free in time. The same statement may succeed later.
 */
export function isUnavailable(error: unknown): boolean {
  if (!types.isNativeError(error)) return false;
  const { kind, originalCode } = causeOf(error);
  if (originalCode) return UNAVAILABLE_STATES.test(originalCode);
  const { code = "" } = error as { code?: string };
  if (UNREACHABLE_CODES.has(code) || UNREACHABLE_KINDS.has(kind ?? "")) return true;
  const isFromDriver = error instanceof Prisma.PrismaClientKnownRequestError || !("$metadata" in error);
  return isFromDriver && BROKEN_CONNECTION.test(`${code} ${error.message}`);
}
