import pg from "pg";

// Prisma's own URL parameters, which node-postgres would reject or misread.
const PRISMA_PARAMETERS = [
  "schema",
  "connection_limit",
  "pool_timeout",
  "pgbouncer",
  "socket_timeout",
  "connect_timeout",
  "statement_cache_size",
];

/** Splits a Prisma connection URL into a URL for node-postgres, the schema and the database name. */
export function splitUrl(prismaUrl, otherDatabase) {
  const url = new URL(prismaUrl);
  const schema = url.searchParams.get("schema") || "public";
  for (const name of PRISMA_PARAMETERS) url.searchParams.delete(name);
  if (otherDatabase) url.pathname = `/${encodeURIComponent(otherDatabase)}`;
  return { url: url.toString(), schema, database: decodeURIComponent(url.pathname.slice(1)) };
}

/** Runs `act` with a client on the server's `postgres` database, and closes the client. */
export async function onServer(prismaUrl, act) {
  const client = new pg.Client({ connectionString: splitUrl(prismaUrl, "postgres").url });
  await client.connect();
  try {
    return await act(client);
  } finally {
    await client.end();
  }
}
