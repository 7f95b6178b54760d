import { type Db, Prisma } from "@gantry/db";

const ACCOUNTS = 50;
const CHUNK = 50_000;
const CHUNK_SECONDS = 600;
/** One of five Requests ended after the retention. */
const RECENT_PART = 0.2;
export const TABLES = ["requests", "request_stages", "request_messages", "cloud_objects"] as const;

/**
 * Adds `count` ended Requests to the account and 49 others: each with three stages, a message, and one or two rows of
 * the ledger. Eight of ten ended 100 to 450 days ago, the others less than 80 days ago. The table `made` lists them and
 * says which of them a retention of 90 days keeps.
 *
 * Each tenth Request is a child of the one before it. Some left objects behind, and some own an object that exists.
 */
export async function addEndedRequests(db: Db, accountId: string, providerId: number, count: number): Promise<void> {
  await db.$executeRaw`
    INSERT INTO accounts (id, name, updated_at) SELECT gen_random_uuid(), 'other', now() FROM generate_series(2, ${ACCOUNTS}::int)`;
  await db.$executeRaw`
    CREATE TABLE made AS
    WITH owners AS (
      SELECT ARRAY(SELECT id FROM accounts ORDER BY id <> ${accountId}::uuid, id LIMIT ${ACCOUNTS}::int) AS ids)
    SELECT i, gen_random_uuid() AS id, ids[1 + (i / 10) % ${ACCOUNTS}::int] AS account_id,
      now() - interval '1 day' * CASE WHEN is_recent THEN 80.0 * i / n / ${RECENT_PART}::float8
        ELSE 100 + 350 * (1.0 * i / n - ${RECENT_PART}::float8) / (1 - ${RECENT_PART}::float8) END AS ended,
      i % 10 = 9 AS is_child, i % 100 = 1 AS leaks, i % 50 = 2 OR i % 200 = 109 AS owns_object,
      is_recent OR i % 100 = 1 OR i % 50 = 2 OR i % 200 IN (108, 109) AS is_kept
    FROM owners, (SELECT i, ${count}::int AS n, i < ${count}::int * ${RECENT_PART}::float8 AS is_recent
      FROM generate_series(0, ${count}::int - 1) i) numbers`;
  await db.$executeRaw`CREATE UNIQUE INDEX made_i ON made (i)`;
  for (let from = 0; from < count; from += CHUNK) {
    const isInChunk = Prisma.sql`made.i >= ${from}::int AND made.i < ${from + CHUNK}::int`;
    await db.$transaction(
      async (tx) => {
        // Neither events nor checks of references are written for rows that are made here.
        await tx.$executeRaw`SET LOCAL session_replication_role = replica`;
        for (const rows of rowsOf(providerId)) await tx.$executeRaw`${rows} WHERE ${isInChunk}`;
      },
      { timeout: CHUNK_SECONDS * 1000, maxWait: CHUNK_SECONDS * 1000 },
    );
  }
  for (const table of [...TABLES, "made"]) await db.$executeRawUnsafe(`VACUUM (ANALYZE) "${table}"`);
}

function rowsOf(providerId: number): Prisma.Sql[] {
  const resource = Prisma.sql`'network', made.id::text`;
  const object = Prisma.sql`gen_random_uuid(), made.id, made.account_id, ${providerId}::int, 'us-east-1', ${resource}`;
  const columns = Prisma.sql`id, request_id, account_id, provider_id, region, resource_type, resource_id, kind, key, params,
    cloud_id, ready_at, removed_at, attempted_at, created_at`;
  const time = Prisma.sql`made.ended, made.ended`;
  return [
    Prisma.sql`
      INSERT INTO requests (id, account_id, type, parent_id, resource_type, resource_id, queue_key, input, trace_id, stage,
        message, successful, leaked_resources, next_run_at, deadline_at, wake, fence, started_at, finished_at, created_at, updated_at)
      SELECT made.id, made.account_id, 'provision_network', parent.id, ${resource}, 'network/' || made.id,
        '{"skipSubnets": false}', md5(made.i::text), 'network.create', 'The network is ready.', made.i % 20 > 0,
        CASE WHEN made.leaks THEN '[{"kind": "vpc", "id": "vpc-0", "region": "us-east-1"}]' ELSE '[]' END::jsonb,
        made.ended, made.ended, 1, 1, ${time}, made.ended - interval '1 minute', made.ended
      FROM made LEFT JOIN made parent ON made.is_child AND parent.i = made.i - 1`,
    Prisma.sql`
      INSERT INTO request_stages (request_id, name, position, state, attempts, started_at, finished_at)
      SELECT made.id, 'stage ' || position, position, 'finished', 1, ${time} FROM generate_series(0, 2) position, made`,
    Prisma.sql`
      INSERT INTO request_messages (id, request_id, account_id, resource_type, stage, message, created_at)
      SELECT gen_random_uuid(), made.id, made.account_id, 'network', 'stage 0', 'The network has its address block.', made.ended FROM made`,
    Prisma.sql`
      INSERT INTO cloud_objects (${columns})
      SELECT ${object}, 'vpc', position::text, '{"cidr": "10.0.0.0/16"}', 'vpc-' || made.i, made.ended,
        CASE WHEN made.owns_object AND position = 0 THEN NULL ELSE made.ended END, ${time}
      FROM made JOIN generate_series(0, 1) position ON position <= made.i % 2`,
  ];
}

/** What is wrong with the rows that the removal left; nothing if they are those that it keeps. */
export async function wrongRows(db: Db): Promise<string[]> {
  const rows = await db.$queryRaw<{ problem: string; count: number }[]>`
    SELECT 'Requests are left that are not kept' AS problem, count(*)::int AS count
      FROM made JOIN requests USING (id) WHERE NOT made.is_kept
    UNION ALL SELECT 'Requests were removed that are kept', count(*)::int
      FROM made WHERE is_kept AND NOT EXISTS (SELECT FROM requests r WHERE r.id = made.id)
    UNION ALL SELECT 'stages', abs((SELECT count(*) FROM request_stages)
      - 3 * (SELECT count(*) FROM made WHERE is_kept))::int
    UNION ALL SELECT 'messages', abs((SELECT count(*) FROM request_messages) - (SELECT count(*) FROM made WHERE is_kept))::int
    UNION ALL SELECT 'rows of the ledger', abs((SELECT count(*) FROM cloud_objects)
      - (SELECT sum(1 + i % 2) FROM made WHERE is_kept))::int`;
  return rows.filter(({ count }) => count > 0).map(({ problem, count }) => `${problem}: ${count}`);
}

/** The sizes of the tables with their indexes, in MB. */
export async function sizesOf(db: Db): Promise<string> {
  const sizes = await db.$queryRaw<{ name: string; mb: number }[]>`
    SELECT name, (pg_total_relation_size(name::regclass) / 1e6)::float8 AS mb FROM unnest(${[...TABLES]}::text[]) name`;
  return sizes.map(({ name, mb }) => `${name} ${mb.toFixed(0)} MB`).join(", ");
}
