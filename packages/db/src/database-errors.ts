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
// 57P01 to 57P03: the server shuts down, starts up or restarts after a crash. 53300: too many connections.
// 25P03 and 25P04: the transaction was idle, or lasted, for too long, and the session has ended.
const UNREACHABLE_STATES = /^(57P0[1-3]|53300|25P0[34]|08...)$/;
const BROKEN_CONNECTION =
  /ECONNRE|EPIPE|ETIMEDOUT|ENOTFOUND|Connection terminated|connection timeout|Client has encountered|trying to connect/i;

/** True if the database was unreachable or no connection of the pool became free in time, so that the same statement may succeed later. */
export function isUnreachable(error: unknown): boolean {
  if (!types.isNativeError(error)) return false;
  const { kind, originalCode } = causeOf(error);
  if (originalCode) return UNREACHABLE_STATES.test(originalCode);
  const { code = "" } = error as { code?: string };
  if (UNREACHABLE_CODES.has(code) || UNREACHABLE_KINDS.has(kind ?? "")) return true;
  const isFromDriver = error instanceof Prisma.PrismaClientKnownRequestError || !("$metadata" in error);
  return isFromDriver && BROKEN_CONNECTION.test(`${code} ${error.message}`);
}
