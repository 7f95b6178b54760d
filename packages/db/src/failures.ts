import { Prisma } from "./generated/client.js";

interface DriverCause {
  originalCode?: string;
  kind?: string;
  constraint?: { index?: string };
}

function driverCause(error: unknown): DriverCause {
  if (!(error instanceof Prisma.PrismaClientKnownRequestError)) return {};
  return (error.meta as { driverAdapterError?: { cause?: DriverCause } } | undefined)?.driverAdapterError?.cause ?? {};
}

/** The SQLSTATE that PostgreSQL gave for a failed statement, or undefined where it gave none. */
export function sqlState(error: unknown): string | undefined {
  return driverCause(error).originalCode;
}

/** The constraint that a statement violated as unique, or undefined for every other failure. */
export function violatedUnique(error: unknown): string | undefined {
  const { originalCode, constraint } = driverCause(error);
  return originalCode === "23505" ? (constraint?.index ?? "") : undefined;
}

const UNREACHABLE_KINDS = new Set(["DatabaseNotReachable", "ConnectionClosed", "SocketTimeout", "TooManyConnections"]);
const UNREACHABLE_CODES = new Set(["P1001", "P1002", "P1008", "P1017", "P2024", "P2028", "P2037"]);
// Class 57: the server is shutting down, starting up or was crashed by another backend. 53300: too many connections.
const UNREACHABLE_STATES = /^(57P0[1-3]|53300|08...)$/;

/** True where the database could not be reached, so that the same statement may succeed later. */
export function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Prisma.PrismaClientKnownRequestError)) return false;
  const { kind, originalCode } = driverCause(error);
  return (
    UNREACHABLE_CODES.has(error.code) ||
    UNREACHABLE_KINDS.has(kind ?? "") ||
    UNREACHABLE_STATES.test(originalCode ?? "") ||
    /ECONNRE|terminated|ended|timeout/i.test(originalCode ? "" : error.message)
  );
}
