import type { Client } from "pg";

/**
 * Splits an address with Prisma's parameters into the address for node-postgres, the schema and the name of the
 * database.
 */
export function splitUrl(prismaUrl: string): { url: string; schema: string; database: string };

/** Runs `act` with a client on the server's `postgres` database, and closes the client. */
export function onServer<T>(prismaUrl: string, act: (client: Client) => Promise<T>): Promise<T>;

/**
 * Creates the database when missing, applies the pending migrations in `folder` and returns their names; then applies the
 * functions in the folder `functions` beside it if they changed.
 */
export function applyMigrations(url: string, folder: string): Promise<string[]>;
