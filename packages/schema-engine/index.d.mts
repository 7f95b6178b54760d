import type { Client } from "pg";

export function lastPanic(): string;

/** Splits a Prisma connection URL into what node-postgres understands, the schema and the database name. */
export function splitUrl(prismaUrl: string, otherDatabase?: string): { url: string; schema: string; database: string };

/** Runs `act` with a client on the server's `postgres` database, and closes it. */
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

/** Creates the database if it is missing and applies the migrations in `folder`; returns the names applied now. */
export function applyMigrations(url: string, folder: string): Promise<string[]>;
