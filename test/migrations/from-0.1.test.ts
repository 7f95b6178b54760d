import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { applyMigrations } from "@gantry/db";
import { onServer } from "@gantry/schema-engine";
import { cloneDatabase, type TestDatabase } from "@gantry/test/support/stack";
import { migrations } from "@gantry/test/support/start-stack";
import pg from "pg";

const [BASELINE = "", ...LATER] = readdirSync(migrations)
  .filter((name) => /^\d/.test(name))
  .sort();
const script = readFileSync(join(migrations, "../from-0.1.sql"), "utf8");
/** The database of version 0.1 after its demo, with a name in decomposed form; of offers and events only the first. */
const version01 = fileURLToPath(new URL("version-0.1.sql.gz", import.meta.url));

let fresh: TestDatabase;
let url: string;
let client: pg.Client;

beforeAll(async () => {
  fresh = await cloneDatabase();
  url = `${fresh.ownerUrl}_before`;
  await onServer(url, (server) => server.query(`CREATE DATABASE ${nameOf(url)}`));
  client = new pg.Client(url);
  await client.connect();
  await client.query(gunzipSync(readFileSync(version01)).toString());
});
afterAll(async () => {
  await client.end();
  await onServer(url, (server) => server.query(`DROP DATABASE ${nameOf(url)} WITH (FORCE)`));
  await fresh.drop();
});

const nameOf = (address: string) => pg.escapeIdentifier(new URL(address).pathname.slice(1));

const SCHEMA = `
  SELECT format('column %s.%s %s %s %s %s', attrelid::regclass, attname, format_type(atttypid, atttypmod), attnotnull,
    attidentity, pg_get_expr(adbin, adrelid)) AS definition
    FROM pg_attribute JOIN pg_class c ON c.oid = attrelid LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
    WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'v', 'S') AND attnum > 0 AND NOT attisdropped
  UNION ALL SELECT format('table %s %s %s', relname, relkind, reloptions) FROM pg_class WHERE relnamespace = 'public'::regnamespace
  UNION ALL SELECT format('constraint %s %s %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) FROM pg_constraint
    WHERE connamespace = 'public'::regnamespace
  UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'
  UNION ALL SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
  UNION ALL SELECT pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = 'public'::regnamespace
  UNION ALL SELECT format('view %s %s', viewname, definition) FROM pg_views WHERE schemaname = 'public'
  UNION ALL SELECT format('type %s %s', enumtypid::regtype, string_agg(enumlabel, ',' ORDER BY enumsortorder)) FROM pg_enum
    GROUP BY enumtypid
  ORDER BY 1`;

async function schemaOf({ ownerUrl }: { ownerUrl: string }): Promise<string[]> {
  const reader = new pg.Client(ownerUrl);
  await reader.connect();
  try {
    return (await reader.query<{ definition: string }>(SCHEMA)).rows.map(({ definition }) => definition);
  } finally {
    await reader.end();
  }
}

/** The number of rows of every table by its name, without Gantry's and Prisma's own. */
async function rowsOfTables(): Promise<Record<string, number>> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename NOT LIKE '\\_%' ORDER BY 1`,
  );
  const counts: Record<string, number> = {};
  for (const { name } of rows)
    counts[name] = (await client.query(`SELECT count(*)::int AS n FROM public.${pg.escapeIdentifier(name)}`)).rows[0].n;
  return counts;
}

it("refuses to migrate a database of version 0.1, names the script that brings it over, and changes nothing", async () => {
  const before = await schemaOf({ ownerUrl: url });
  await expect(applyMigrations(url, migrations)).rejects.toThrow("prisma/from-0.1.sql brings it to this version");
  expect(await schemaOf({ ownerUrl: url })).toEqual(before);
});

it("brings a database of version 0.1 to the schema of a new one, with all its rows", async () => {
  const { drift_places, ...rows } = await rowsOfTables();
  await client.query(script);
  expect(await applyMigrations(url, migrations)).toEqual(LATER);
  expect(await schemaOf({ ownerUrl: url })).toEqual(await schemaOf(fresh));
  expect(await rowsOfTables()).toMatchObject({ ...rows, drift_regions: drift_places });
  expect(rows).toMatchObject({ servers: 3, cloud_objects: 30, audit_records: 11 });
  const { rows: names } = await client.query("SELECT name FROM applications WHERE name IS NOT NORMALIZED");
  expect(names).toEqual([]);
});

it("records the baseline as Prisma would", async () => {
  const checksum = createHash("sha256")
    .update(readFileSync(join(migrations, BASELINE, "migration.sql")))
    .digest("hex");
  const { rows } = await client.query(
    "SELECT migration_name, checksum FROM _prisma_migrations WHERE migration_name = $1",
    [BASELINE],
  );
  expect(rows).toEqual([{ migration_name: BASELINE, checksum }]);
});

it("refuses a second run", async () => {
  await expect(client.query(script)).rejects.toThrow("has the schema of version 0.2.0 already");
  await client.query("ROLLBACK");
});
