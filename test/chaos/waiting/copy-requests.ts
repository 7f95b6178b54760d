import { type Db, Prisma, type Tx } from "@gantry/db";

/**
 * Copies a Request that waits for its database `count` times, with all its rows. The databases of the copies have new
 * identifiers. The copies have waited for five minutes, and their checks are spread over 30 seconds.
 *
 * @param announce called with the identifiers before the first check of a copy
 */
export async function copyWaitingRequest(
  db: Db,
  requestId: string,
  count: number,
  announce: (identifiers: string[]) => void,
): Promise<void> {
  const { resourceId: serviceId } = await db.request.findUniqueOrThrow({ where: { id: requestId } });
  await db.$executeRaw`
    CREATE TABLE copies AS SELECT gen_random_uuid() AS request, gen_random_uuid() AS service, gen_random_uuid() AS server,
      nextval('firewalls_id_seq')::int AS firewall, gen_random_uuid() AS instance, n FROM generate_series(1, ${count}::int) n`;
  const copies = await db.$queryRaw<{ id: string }[]>`SELECT 'gantry-' || instance AS id FROM copies`;
  announce(copies.map(({ id }) => id));
  const write = async (tx: Tx) => {
    const original = Prisma.sql`${requestId}::uuid`;
    const service = Prisma.sql`${serviceId}::uuid`;
    await copyRows(tx, "database_services", { id: "c.service", name: "'copy-' || c.n" }, Prisma.sql`o.id = ${service}`);
    const ofService = Prisma.sql`o.database_service_id = ${service}`;
    await copyRows(tx, "database_servers", { id: "c.server", database_service_id: "c.service" }, ofService);
    await copyRows(tx, "firewalls", { id: "c.firewall", database_service_id: "c.service" }, ofService);
    const request = {
      id: "c.request",
      seq: "nextval('requests_seq_seq')",
      resource_id: "c.service",
      queue_key: "'database_service/' || c.service",
      next_run_at: "now() + interval '1 h'",
      watch:
        "o.watch || jsonb_build_object('id', 'gantry-' || c.instance, 'seen', 'creating, no address', 'since', now() - interval '5 min')",
    };
    await copyRows(tx, "requests", request, Prisma.sql`o.id = ${original}`);
    await copyRows(
      tx,
      "request_stages",
      { request_id: "c.request", started_at: "now() - interval '5 min'" },
      Prisma.sql`o.request_id = ${original}`,
    );
    const object = {
      id: "CASE o.kind WHEN 'db_instance' THEN c.instance ELSE gen_random_uuid() END",
      seq: "nextval('cloud_objects_seq_seq')",
      request_id: "c.request",
      resource_id:
        "CASE o.resource_type WHEN 'firewall' THEN c.firewall::text WHEN 'database_server' THEN c.server::text ELSE c.service::text END",
      cloud_id: "CASE o.kind WHEN 'db_instance' THEN 'gantry-' || c.instance ELSE o.cloud_id END",
    };
    await copyRows(tx, "cloud_objects", object, Prisma.sql`o.request_id = ${original}`);
  };
  await db.$transaction(write, { timeout: 120_000 });
  await db.$executeRaw`ANALYZE`;
  await db.$executeRaw`
    UPDATE requests SET next_run_at = now() + random() * interval '30 s' FROM copies WHERE id = copies.request`;
}

/** Copies a row of `table` for every copy. Expressions over `o` and `c` replace some columns. */
async function copyRows(db: Tx, table: string, replaced: Record<string, string>, where: Prisma.Sql): Promise<void> {
  const changes = Object.entries(replaced).map(([column, expression]) => `'${column}', ${expression}`);
  await db.$executeRaw`
    INSERT INTO ${Prisma.raw(table)}
    SELECT (jsonb_populate_record(o, jsonb_build_object(${Prisma.raw(changes.join(", "))}))).*
    FROM ${Prisma.raw(table)} o, copies c WHERE ${where}`;
}
