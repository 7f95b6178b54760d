import { applyMigrations, splitUrl } from "@gantry/schema-engine";
import pg from "pg";
import { sessionSettings } from "./client.js";
import { isPooled } from "./pooler.js";

/** Tables that the apps may only add to, or only read: functions move their rows with the owner's rights. */
const RESTRICTED = [
  { table: "pending_audit_records", revoked: "UPDATE, DELETE" },
  { table: "audit_records", revoked: "INSERT, UPDATE, DELETE" },
  { table: "unreported_audit_heads", revoked: "INSERT, UPDATE, DELETE" },
];

/** Functions with the owner's rights that the apps may call, and one that only these call. */
const CALLED = ["link_audit_records()", "link_audit_chain(uuid)"];
const NOT_CALLED = ["move_audit_records(uuid)"];

/**
 * Applies the pending migrations as the owner of the tables, and grants the apps' user its rights: to read and write
 * every table, but not to change or remove records of the audit. Creates the user if it is missing. Apps that run
 * meanwhile may use a new table from its first moment, since a migration's triggers may have them write it.
 *
 * @param ownerUrl the address with the owner's name; not that of a pooler, since migrations lock in their session
 * @param appUrl the address that the apps use; the owner's own if the apps are the owner. Behind a pooler, the user gets
 *   the limits of transactions that the apps otherwise set in each session.
 * @returns the names of the applied migrations
 */
export async function prepareDatabase(ownerUrl: string, appUrl: string, folder: string): Promise<string[]> {
  if (isPooled(ownerUrl))
    throw new Error("migrations cannot run through a pooler; set DATABASE_DIRECT_URL to PostgreSQL's own address");
  const { username: owner } = new URL(ownerUrl);
  const { username, password } = new URL(appUrl);
  const name = decodeURIComponent(username);
  const isOther = username !== owner;
  if (isOther)
    await asOwner(ownerUrl, (client, schema) => grantFutureTables(client, schema, name, password)).catch(
      ignoreNoDatabase,
    );
  const applied: string[] = await applyMigrations(ownerUrl, folder);
  await asOwner(ownerUrl, async (client, schema) => {
    if (isOther) await grantFutureTables(client, schema, name, password);
    if (isOther) await grantTables(client, schema, name);
  });
  if (isOther && isPooled(appUrl)) await setUpSessionsOfUser(ownerUrl, appUrl);
  return applied;
}

/** Migrations create a database that is missing; no app runs on it yet. */
function ignoreNoDatabase(error: unknown): void {
  if ((error as { code?: string }).code !== "3D000") throw error;
}

const ACCESS = "SELECT, INSERT, UPDATE, DELETE";

/** Sets what each session needs as the user itself, who always may. */
async function setUpSessionsOfUser(ownerUrl: string, appUrl: string): Promise<void> {
  const url = new URL(ownerUrl);
  const { username, password } = new URL(appUrl);
  Object.assign(url, { username, password });
  await connected(url, async (client) => {
    for (const [name, value] of Object.entries(sessionSettings())) {
      const { rows } = await client.query<{ statement: string }>(
        `SELECT format('ALTER ROLE CURRENT_USER IN DATABASE %I SET %I = %L', current_database(), name, $2::text) AS statement
        FROM pg_settings WHERE name = $1`,
        [name, value],
      );
      for (const { statement } of rows) await client.query(statement);
    }
  });
}

/** Runs `work` as the owner, in the schema of the tables. Two processes that do so at once would block each other. */
async function asOwner(ownerUrl: string, work: (client: pg.Client, schema: string) => Promise<void>): Promise<void> {
  const url = new URL(ownerUrl);
  const schema = pg.escapeIdentifier(url.searchParams.get("schema") ?? "public");
  await connected(url, async (client) => {
    await client.query("SELECT pg_advisory_lock(hashtextextended('gantry: grants', 0))");
    await client.query(`SET search_path TO ${schema}`);
    await work(client, schema);
  });
}

async function connected(url: URL, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client(splitUrl(url.toString()).url);
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

/** Grants the apps' user the tables that the owner will create. */
async function grantFutureTables(client: pg.Client, schema: string, name: string, password: string): Promise<void> {
  const user = pg.escapeIdentifier(name);
  const { rowCount } = await client.query("SELECT FROM pg_roles WHERE rolname = $1", [name]);
  if (rowCount === 0) await client.query(`CREATE ROLE ${user} LOGIN PASSWORD ${pg.escapeLiteral(password)}`);
  await client.query(`CREATE SCHEMA IF NOT EXISTS ${schema};
    ALTER DEFAULT PRIVILEGES IN SCHEMA ${schema} GRANT ${ACCESS} ON TABLES TO ${user};
    ALTER DEFAULT PRIVILEGES IN SCHEMA ${schema} GRANT USAGE, SELECT ON SEQUENCES TO ${user};`);
}

async function grantTables(client: pg.Client, schema: string, name: string): Promise<void> {
  const user = pg.escapeIdentifier(name);
  const restricted = RESTRICTED.map(
    ({ table, revoked }) => `REVOKE ${revoked}, TRUNCATE ON ${schema}."${table}" FROM ${user};`,
  );
  const { rows } = await client.query<{ name: string }>("SELECT quote_ident(current_database()) AS name");
  await client.query(`BEGIN;
    REVOKE TEMPORARY ON DATABASE ${rows[0]?.name} FROM PUBLIC;
    ${[...CALLED, ...NOT_CALLED].map((name) => `REVOKE EXECUTE ON FUNCTION ${schema}.${name} FROM PUBLIC;`).join("\n")}
    ${CALLED.map((name) => `GRANT EXECUTE ON FUNCTION ${schema}.${name} TO ${user};`).join("\n")}
    GRANT USAGE ON SCHEMA ${schema} TO ${user};
    GRANT ${ACCESS} ON ALL TABLES IN SCHEMA ${schema} TO ${user};
    GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA ${schema} TO ${user};
    ${restricted.join("\n")}
    COMMIT;`);
}
