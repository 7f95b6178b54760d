import type { Env } from "./env.js";

/** The settings, or the environment itself: an empty variable counts as one that is not set. */
type Addresses = Pick<Env, "DATABASE_URL"> & Partial<Pick<Env, "DATABASE_DIRECT_URL" | "DATABASE_OWNER_URL">>;

/** Returns PostgreSQL's own address, which is not that of a pooler. */
export function directDatabaseUrl({ DATABASE_URL, DATABASE_DIRECT_URL }: Addresses): string {
  return DATABASE_DIRECT_URL || DATABASE_URL;
}

/** Returns the address for migrations: that of the owner of the tables, without a pooler. */
export function ownerDatabaseUrl({ DATABASE_OWNER_URL, ...addresses }: Addresses): string {
  return DATABASE_OWNER_URL || directDatabaseUrl(addresses);
}
