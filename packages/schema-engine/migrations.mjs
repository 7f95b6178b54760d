import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { onServer, splitUrl } from "./connections.mjs";
import { callEngine } from "./engine.mjs";
import { withLockRetries } from "./lock-retries.mjs";

const MIGRATION_LOCK = "hashtextextended('gantry: migrations', 0)";
const LOCK_POLL_MS = 100;

/** Runs `act` with a client of the database, in one process at a time. */
async function oneAtATime(prismaUrl, act) {
  const { url } = splitUrl(prismaUrl);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    // A statement that waits for a lock, as the engine's own do, keeps a concurrent index from being created.
    const lock = () => client.query(`SELECT pg_try_advisory_lock(${MIGRATION_LOCK}) AS held`);
    while (!(await lock()).rows[0].held) await sleep(LOCK_POLL_MS);
    return await act(client);
  } finally {
    await client.end();
  }
}

/**
 * Runs every script of the folder, in one transaction, unless the last ones that ran here were the same. The scripts
 * create or replace functions and triggers on the migrations' tables.
 */
async function applyFunctions(client, schema, folder) {
  if (!existsSync(folder)) return;
  const files = readdirSync(folder).filter((name) => name.endsWith(".sql"));
  const script = files
    .sort()
    .map((name) => readFileSync(join(folder, name), "utf8"))
    .join("\n");
  const hash = createHash("sha256").update(script).digest("hex");
  await client.query(`SET search_path TO ${pg.escapeIdentifier(schema)}`);
  // A user who owns no table can start an app on a database that is up to date.
  const [{ exists }] = (await client.query("SELECT to_regclass('_functions') IS NOT NULL AS exists")).rows;
  if (exists && (await client.query("SELECT hash FROM _functions")).rows[0]?.hash === hash) return;
  if (!exists) await client.query("CREATE TABLE _functions (hash text NOT NULL)");
  await withLockRetries(client, `${script}\nDELETE FROM _functions; INSERT INTO _functions VALUES ('${hash}');`);
}

/**
 * Refuses a database with other migrations than this folder's, before it tries the first of them.
 *
 * @throws an Error that names the command which brings the database over
 */
async function requireBaseline(client, schema, baseline) {
  const table = `${pg.escapeIdentifier(schema)}."_prisma_migrations"`;
  const [{ exists }] = (await client.query("SELECT to_regclass($1) IS NOT NULL AS exists", [table])).rows;
  if (!exists) return;
  const { rows } = await client.query(
    `SELECT EXISTS (SELECT FROM ${table}) AND NOT EXISTS (SELECT FROM ${table} WHERE migration_name = $1) AS older`,
    [baseline],
  );
  if (!rows[0].older) return;
  throw new Error(
    `the database ${client.database} has the schema of version 0.1; prisma/from-0.1.sql brings it to this version (docs/deploying.md)`,
  );
}

/**
 * Creates the database when missing, applies the pending migrations in `folder` and returns their names; then applies
 * the functions in the folder `functions` beside it if they changed. A migration that waits for a lock leaves the lock
 * queue every second, so that concurrent queries wait no longer than that.
 *
 * @throws an Error if the database has the schema of version 0.1
 */
export async function applyMigrations(url, folder) {
  const { database, schema } = splitUrl(url);
  await onServer(url, async (client) => {
    const found = await client.query("SELECT 1 FROM pg_database WHERE datname = $1", [database]);
    if (found.rowCount === 0) await client.query(`CREATE DATABASE ${pg.escapeIdentifier(database)}`);
  });
  const migrationDirectories = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort()
    .map((path) => ({
      path,
      migrationFile: {
        path: "migration.sql",
        content: { tag: "ok", value: readFileSync(join(folder, path, "migration.sql"), "utf8") },
      },
    }));
  const lockfile = {
    path: "migration_lock.toml",
    content: readFileSync(join(folder, "migration_lock.toml"), "utf8"),
  };
  const migrationsList = { baseDir: folder, lockfile, shadowDbInitScript: "", migrationDirectories };
  const filters = { externalTables: [], externalEnums: [] };
  return oneAtATime(url, async (client) => {
    await requireBaseline(client, schema, migrationDirectories[0].path);
    const { appliedMigrationNames } = await callEngine({ url }, "applyMigrations", { migrationsList, filters });
    await applyFunctions(client, schema, join(folder, "../functions"));
    return appliedMigrationNames;
  });
}
