import { applyMigrations } from "@gantry/schema-engine";
import pg from "pg";

/** Tables that the apps may only add to, or only read: the function `link_audit_records` moves rows with its owner's rights. */
const RESTRICTED = [
  { table: "pending_audit_records", revoked: "UPDATE, DELETE" },
  { table: "audit_records", revoked: "INSERT, UPDATE, DELETE" },
];

/**
 * Applies the pending migrations as the owner of the tables, and gives the apps' user its rights: to read and write every
 * table, but not to change or remove records of the audit. Makes the user where it is missing.
 *
 * @param ownerUrl the address with the owner's name
 * @param appUrl the address that the apps use; the owner's own where the apps are the owner
 * @returns the names of the applied migrations
 */
export async function prepareDatabase(ownerUrl: string, appUrl: string, folder: string): Promise<string[]> {
  const applied: string[] = await applyMigrations(ownerUrl, folder);
  const { username: owner } = new URL(ownerUrl);
  const { username, password } = new URL(appUrl);
  if (username !== owner) await grantAccess(ownerUrl, decodeURIComponent(username), decodeURIComponent(password));
  return applied;
}

async function grantAccess(ownerUrl: string, name: string, password: string): Promise<void> {
  const user = pg.escapeIdentifier(name);
  const url = new URL(ownerUrl);
  const schema = pg.escapeIdentifier(url.searchParams.get("schema") ?? "public");
  url.search = "";
  const client = new pg.Client(url.toString());
  await client.connect();
  try {
    // Two processes that grant at once would get in each other's way.
    await client.query("SELECT pg_advisory_lock(hashtextextended('gantry: grants', 0))");
    const { rowCount } = await client.query("SELECT FROM pg_roles WHERE rolname = $1", [name]);
    if (rowCount === 0) await client.query(`CREATE ROLE ${user} LOGIN PASSWORD ${pg.escapeLiteral(password)}`);
    const restricted = RESTRICTED.map(
      ({ table, revoked }) => `REVOKE ${revoked}, TRUNCATE ON ${schema}."${table}" FROM ${user};`,
    );
    await client.query(`BEGIN;
      GRANT USAGE ON SCHEMA ${schema} TO ${user};
      GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema} TO ${user};
      GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA ${schema} TO ${user};
      ${restricted.join("\n")}
      COMMIT;`);
  } finally {
    await client.end();
  }
}
