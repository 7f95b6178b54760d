import { type Db, Prisma } from "@gantry/db";

/** Where the record of each kind of object in AWS is that a customer sees as a thing of its own. */
const RECORDS: readonly [kind: string, table: string, column: string, unless?: string][] = [
  ["address", "addresses", "provisioned_id"],
  ["auto_scaling_group", "auto_scaling_groups", "provisioned_id"],
  ["db_cluster", "database_services", "cluster_id"],
  ["db_instance", "database_servers", "provisioned_id"],
  ["db_snapshot", "database_server_snapshots", "provisioned_id"],
  ["instance", "servers", "provisioned_id"],
  ["snapshot", "snapshots", "provisioned_id"],
  ["subnet", "subnets", "provisioned_id"],
  // A server's first disks come with its instance.
  ["volume", "volumes", "provisioned_id", "server_id IS NOT NULL"],
  ["vpc", "networks", "provisioned_id"],
];

/** Objects that exist though no standing record shows them, in one account or in all. Nothing may be at work. */
export async function unrecorded(db: Db, accountId?: string): Promise<string[]> {
  const { objects } = await differences(db, accountId);
  return objects.map(([kind, id]) => `${kind} ${id} is on no record`);
}

/** Standing records of objects that the ledger says are gone, or were never made. Nothing may be at work. */
export async function unfounded(db: Db): Promise<string[]> {
  const { records } = await differences(db);
  return records.map(([kind, id]) => `${kind} ${id} is on record, and gone`);
}

type Named = [kind: string, id: string];

async function differences(db: Db, accountId?: string): Promise<{ objects: Named[]; records: Named[] }> {
  const scope = accountId ? Prisma.sql`account_id = ${accountId}::uuid` : Prisma.sql`true`;
  const [objects, records]: [Named[], Named[]] = [[], []];
  for (const [kind, table, column, unless = "false"] of RECORDS) {
    const rows = await db.$queryRaw<{ object: string | null; record: string | null }[]>`
      WITH objects AS (
        SELECT cloud_id AS id FROM cloud_objects WHERE kind = ${kind} AND removed_at IS NULL AND ${scope}),
      records AS (
        SELECT ${Prisma.raw(column)} AS id, ${Prisma.raw(unless)} AS coming_along FROM ${Prisma.raw(table)}
        WHERE deleted_at IS NULL AND ${Prisma.raw(column)} IS NOT NULL AND ${scope})
      SELECT objects.id AS object, records.id AS record FROM objects FULL JOIN records USING (id)
      WHERE (objects.id IS NULL AND NOT coming_along) OR records.id IS NULL`;
    for (const { object, record } of rows) {
      if (object) objects.push([kind, object]);
      else if (record) records.push([kind, record]);
    }
  }
  return { objects, records };
}
