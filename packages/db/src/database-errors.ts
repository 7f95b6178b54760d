import { types } from "node:util";
import pg from "pg";
import { Prisma } from "./generated/client.js";

interface Cause {
  /** The SQLSTATE, if PostgreSQL answered. */
  originalCode?: string | undefined;
  kind?: string;
  constraint?: { index?: string | undefined };
}

// An error comes from the driver, or from Prisma with the driver's inside; at the end of a transaction from Prisma's adapter.
function causeOf(error: unknown): Cause {
  if (error instanceof pg.DatabaseError) return { originalCode: error.code, constraint: { index: error.constraint } };
  if (types.isNativeError(error) && error.name === "DriverAdapterError")
    return (error as { cause?: Cause }).cause ?? {};
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
const UNAVAILABLE_STATES = /^(08|40|53|55|57|58)|^25(006|P03|P04)$/;
const BROKEN_CONNECTION =
  /ECONNRE|EPIPE|ETIMEDOUT|ENOTFOUND|Connection terminated|connection timeout|Client has encountered|trying to connect/i;

/** Whether PostgreSQL rolled a transaction back because of others at the same time: a deadlock, or no serial order. */
export function isRolledBack(error: unknown): boolean {
  return /^40(001|P01)$/.test(sqlState(error) ?? "");
}

/**
 * True if the database could not carry out a statement now: it was unreachable, too busy or accepted no writes, or no
 * connection of the pool became free in time. The same statement may succeed later.
 *
 * The class of a SQLSTATE decides (PostgreSQL's Appendix A), if the state of the server is to blame and not the statement:
 *
 * - 08: the connection broke
 * - 40: rolled back because of other transactions
 * - 53: no disk, memory or connection left
 * - 55: an object is in use or locked, or not in a state that permits it yet
 * - 57: an operator, a shutdown or a time limit intervened
 * - 58: the system failed, as in input and output
 * - of 25, misuse of transactions, only 25006, no writes are accepted, and 25P03 and 25P04, it was idle or lasted too long
 *
 * All others would fail again: mistakes of a statement such as 22, 23 and 42; logins (28) and missing databases (3D), which
 * are mistakes in the settings; and XX, defects and damaged data, which a person must see.
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
