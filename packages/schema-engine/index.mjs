/**
 * Prisma's schema engine: its WebAssembly build on npm, over node-postgres. Prisma's commands would otherwise download a
 * native engine from outside the package registry.
 */
import { createHash, randomUUID } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { PrismaPg } from "@prisma/adapter-pg";
import { bindMigrationAwareSqlAdapterFactory } from "@prisma/driver-adapter-utils";
import * as glue from "@prisma/schema-engine-wasm/schema_engine_bg";
import pg from "pg";

let panic = "";
let engineClass;

/** Returns the text of the engine's last panic, or an empty string. */
export const lastPanic = () => panic;

function loadEngine() {
  if (engineClass) return engineClass;
  globalThis.PRISMA_WASM_PANIC_REGISTRY = {
    set_message: (message) => {
      panic = message;
    },
  };
  const file = createRequire(import.meta.url).resolve("@prisma/schema-engine-wasm/schema_engine_bg");
  const module = new WebAssembly.Module(readFileSync(file.replace(/\.js$/, ".wasm")));
  const instance = new WebAssembly.Instance(module, { "./schema_engine_bg.js": patient(glue) });
  glue.__wbg_set_wasm(instance.exports);
  instance.exports.__wbindgen_start();
  engineClass = glue.SchemaEngine;
  return engineClass;
}

// The engine never clears the timeout of its advisory lock; the timer must not keep a process alive.
function patient(imports) {
  return Object.fromEntries(
    Object.entries(imports).map(([name, act]) => {
      if (!name.startsWith("__wbg_setTimeout_")) return [name, act];
      const unref = (...args) => {
        const timer = act(...args);
        timer?.unref?.();
        return timer;
      };
      return [name, unref];
    }),
  );
}

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

const CHAR = 18;
const BPCHAR = 1042;

// adapter-pg rejects the system catalogue's columns of the internal type "char", but accepts bpchar.
class CataloguePool extends pg.Pool {
  async query(...args) {
    const result = await super.query(...args);
    for (const field of result?.fields ?? []) if (field.dataTypeID === CHAR) field.dataTypeID = BPCHAR;
    return result;
  }
}

/** The time that a migration waits for a lock; other queries on the table wait behind the migration. */
const LOCK_TIMEOUT_MS = 1000;
/** The pause between two attempts, in which the other queries run. */
const LOCK_PAUSE_MS = 1000;
const LOCK_TRIES = 60;
const LOCK_POLL_MS = 100;
const LOCK_NOT_AVAILABLE = "55P03";

/**
 * Runs a script with a lock timeout, and retries it after a timeout: PostgreSQL rolls a script of several statements back as
 * a whole.
 */
async function patientlyLocked(pool, script) {
  // A concurrent statement blocks no query, and its interruption leaves an invalid index.
  if (/\bconcurrently\b/i.test(script)) return pool.query(script);
  await pool.query(`SET lock_timeout = ${LOCK_TIMEOUT_MS}`);
  try {
    for (let tries = 1; ; tries++) {
      try {
        return await pool.query(script);
      } catch (error) {
        if (error.code !== LOCK_NOT_AVAILABLE || tries === LOCK_TRIES) throw error;
        await sleep(LOCK_PAUSE_MS);
      }
    }
  } finally {
    await pool.query("RESET lock_timeout");
  }
}

async function connect({ url, schema }, afterDispose) {
  const quoted = pg.escapeIdentifier(schema);
  const pool = new CataloguePool({
    connectionString: url,
    // One session holds the advisory lock and the search path.
    max: 1,
    options: `-c search_path=${quoted.replace(/([\\ ])/g, "\\$1")}`,
  });
  const adapter = await new PrismaPg(pool, { schema, disposeExternalPool: true }).connect();
  // adapter-pg splits a script on every ";", which breaks function bodies and literals.
  adapter.executeScript = async (script) => {
    try {
      await patientlyLocked(pool, script);
    } catch (error) {
      adapter.onError(error);
    }
  };
  const dispose = adapter.dispose.bind(adapter);
  adapter.dispose = async () => {
    await dispose();
    await afterDispose?.();
  };
  if (schema !== "public") await pool.query(`CREATE SCHEMA IF NOT EXISTS ${quoted}`);
  return adapter;
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

function adapterFactory(url, shadowUrl) {
  return {
    provider: "postgres",
    adapterName: "@prisma/adapter-pg",
    connect: () => connect(splitUrl(url)),
    connectToShadowDb: async () => {
      if (shadowUrl) {
        const target = splitUrl(shadowUrl);
        const adapter = await connect(target);
        const schema = pg.escapeIdentifier(target.schema);
        await adapter.executeScript(`DROP SCHEMA IF EXISTS ${schema} CASCADE; CREATE SCHEMA ${schema};`);
        return adapter;
      }
      const name = `prisma_migrate_shadow_db_${randomUUID()}`;
      await onServer(url, (client) => client.query(`CREATE DATABASE ${pg.escapeIdentifier(name)}`));
      return connect(splitUrl(url, name), () =>
        onServer(url, (client) => client.query(`DROP DATABASE IF EXISTS ${pg.escapeIdentifier(name)} WITH (FORCE)`)),
      );
    },
  };
}

/**
 * Calls one method of the engine's JSON-RPC interface. Every call creates an engine, so that no call inherits another's
 * shadow database or session.
 */
export async function callEngine({ url, shadowDatabaseUrl, datamodels, log = () => {} }, method, params) {
  const factory = adapterFactory(url, shadowDatabaseUrl);
  const opened = [];
  for (const name of ["connect", "connectToShadowDb"]) {
    const open = factory[name];
    factory[name] = async () => {
      const adapter = await open();
      opened.push(adapter);
      return adapter;
    };
  }
  const engine = await loadEngine().new({ datamodels }, log, bindMigrationAwareSqlAdapterFactory(factory));
  try {
    // This build opens a shadow database in the two methods only after a diagnosis in the same engine.
    if (method === "evaluateDataLoss" || method === "createMigration") {
      await engine.devDiagnostic({ migrationsList: params.migrationsList, filters: params.filters });
    }
    return await engine[method](params);
  } finally {
    engine.free();
    for (const adapter of opened) await adapter.dispose().catch(() => {});
  }
}

const MIGRATION_LOCK = "hashtextextended('gantry: migrations', 0)";

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
 * create or replace functions and triggers, whose tables the migrations have made.
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
  await patientlyLocked(client, `${script}\nDELETE FROM _functions; INSERT INTO _functions VALUES ('${hash}');`);
}

/**
 * Creates the database when missing, applies the pending migrations in `folder` and returns their names; then applies
 * the functions in the folder `functions` beside it if they changed. A migration that waits for a lock leaves the lock
 * queue every second, so that concurrent queries wait no longer than that.
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
    const { appliedMigrationNames } = await callEngine({ url }, "applyMigrations", { migrationsList, filters });
    await applyFunctions(client, schema, join(folder, "../functions"));
    return appliedMigrationNames;
  });
}
