import { randomUUID } from "node:crypto";
import { PrismaPg } from "@prisma/adapter-pg";
import pg from "pg";
import { onServer, splitUrl } from "./connections.mjs";
import { withLockRetries } from "./lock-retries.mjs";

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
      await withLockRetries(pool, script);
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

/** Returns the connections of one call of the engine: to the database, and to a shadow database if it asks for one. */
export function adapterFactory(url, shadowUrl) {
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
