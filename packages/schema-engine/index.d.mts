import type { Client } from "pg";

/** Returns the text of the engine's last panic, or an empty string. */
export function lastPanic(): string;

/** Splits a Prisma connection URL into a URL for node-postgres, the schema and the database name. */
export function splitUrl(prismaUrl: string, otherDatabase?: string): { url: string; schema: string; database: string };

/** Runs `act` with a client on the server's `postgres` database, and closes the client. */
export function onServer<T>(prismaUrl: string, act: (client: Client) => Promise<T>): Promise<T>;

/** Calls one method of the engine's JSON-RPC interface. */
export function callEngine(
  context: {
    url: string;
    shadowDatabaseUrl?: string;
    datamodels?: [path: string, text: string][];
    log?: (line: string) => void;
  },
  method: string,
  params: unknown,
): Promise<unknown>;

/**
 * Creates the database when missing, applies the pending migrations in `folder` and returns their names; then applies the
 * functions in the folder `functions` beside it if they changed.
 */
export function applyMigrations(url: string, folder: string): Promise<string[]>;
