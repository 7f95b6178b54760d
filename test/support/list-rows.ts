import type { Db } from "@gantry/db";
import type { Fixtures } from "./fixtures.js";

/** The tables that grow without end: histories, and records of which most are deleted. */
const TABLES = [
  "requests",
  "request_messages",
  "events",
  "audit_records",
  "webhook_deliveries",
  "alerts",
  "servers",
  "volumes",
  "snapshots",
];

const OTHER_ACCOUNTS = 100;
/** The number of seconds between the times of rows; row 1 is the newest. */
const CREATED = "now() - i * interval '1 s'";
const OLD_HALF = "i > n / 2";
const MOSTLY_DELETED = `CASE WHEN i % 10 = 1 THEN NULL ELSE ${CREATED} + interval '1 h' END`;

/**
 * Adds `rows` copies of one row to each table: nine of ten to the account, the rest to a hundred others. Rare values are
 * in the half that a list reads last.
 */
export async function addRows(db: Db, accountId: string, fixtures: Fixtures, rows: number): Promise<void> {
  await db.$executeRaw`
    INSERT INTO accounts (id, name, updated_at) SELECT gen_random_uuid(), 'other', now() FROM generate_series(1, ${OTHER_ACCOUNTS})`;
  const indexes = await db.$queryRaw<{ name: string; definition: string }[]>`
    SELECT indexname AS name, indexdef AS definition FROM pg_indexes
    WHERE schemaname = current_schema() AND tablename = ANY(${TABLES})
      AND indexdef NOT LIKE 'CREATE UNIQUE%'`;
  for (const { name } of indexes) await db.$executeRawUnsafe(`DROP INDEX "${name}"`);
  for (const [table, values] of Object.entries(copiesOf(fixtures))) {
    const columns = await db.$queryRaw<{ name: string }[]>`
      SELECT column_name AS name FROM information_schema.columns
      WHERE table_schema = current_schema() AND table_name = ${table} AND is_identity = 'NO'`;
    const { from = `(SELECT * FROM "${table}" LIMIT 1) copied`, ...own } = values as Record<string, string>;
    const chosen = columns.map(({ name }) => name).filter((name) => name in own || !isNumbered(name, table));
    const value = (name: string) => own[name] ?? DEFAULTS[name] ?? `copied."${name}"`;
    await insert(
      db,
      `INSERT INTO "${table}" (${chosen.map((name) => `"${name}"`).join(", ")})
      SELECT ${chosen.map(value).join(", ")}
      FROM (SELECT i, ${rows}::bigint AS n, ${accountOf(accountId)} AS account FROM generate_series(1, ${rows}) i) made, ${from}`,
    );
  }
  for (const { definition } of indexes) await db.$executeRawUnsafe(definition);
  for (const table of TABLES) await db.$executeRawUnsafe(`VACUUM ANALYZE "${table}"`);
}

const DEFAULTS: Record<string, string> = {
  account_id: "account",
  id: "gen_random_uuid()",
  created_at: CREATED,
  updated_at: `${CREATED} + interval '5 s'`,
};

/** True if the column's default numbers the rows. */
function isNumbered(name: string, table: string): boolean {
  return name === "seq" || (name === "id" && ["servers", "volumes", "snapshots"].includes(table));
}

function accountOf(accountId: string): string {
  return `CASE WHEN i % 10 > 0 THEN '${accountId}'::uuid
    ELSE (ARRAY(SELECT id FROM accounts WHERE name = 'other' ORDER BY id))[1 + i % ${OTHER_ACCOUNTS}] END`;
}

/** The values of each table's copies that differ from the copied row, as expressions of `i`, `n` and `account`. */
function copiesOf(fixtures: Fixtures): Record<string, Record<string, string>> {
  const unfinished = "i <= 50";
  const isRare = `${OLD_HALF} AND i % 500 = 499`;
  return {
    requests: {
      from: `(SELECT * FROM requests WHERE id = '${fixtures.requests}') copied`,
      type: `CASE WHEN ${isRare} THEN 'discover_network' ELSE copied.type END`,
      resource_id: "(1000000 + i % 100000)::text",
      trace_id: "md5(i::text)",
      finished_at: `CASE WHEN ${unfinished} THEN NULL ELSE ${CREATED} + interval '5 s' END`,
      successful: `NOT (${unfinished} OR ${isRare})`,
      leaked_resources: `CASE WHEN ${OLD_HALF} AND i % 5000 = 4999
        THEN '[{"kind":"vpc","id":null,"region":"us-east-1"}]'::jsonb ELSE '[]' END`,
    },
    request_messages: { from: `(SELECT * FROM request_messages LIMIT 1) copied`, request_id: "gen_random_uuid()" },
    events: {
      from: `(SELECT event_horizon() - 1 AS horizon) clock,
        LATERAL (SELECT CASE WHEN ${isRare} THEN 'request.failed' WHEN i % 4 = 0 THEN 'resource.changed'
          ELSE (ARRAY['request.accepted', 'request.started', 'request.stage'])[i % 4] END AS type) kind`,
      position: "1 + i * (horizon - 1) / n",
      type: "kind.type",
      subject_type: "CASE WHEN kind.type LIKE 'request%' THEN 'request' ELSE 'server' END",
      subject_id: "(1000000 + i % 100000)::text",
      request_id: "CASE WHEN kind.type LIKE 'request%' THEN gen_random_uuid() END",
      record: "'{}'::json",
      message: "NULL",
    },
    audit_records: {
      from: "(SELECT) nothing",
      chain: "account",
      position: "n + 1 - i",
      hash: "'\\x00'::bytea",
      user_id: `CASE WHEN ${isRare} THEN NULL ELSE '${fixtures.users}'::uuid END`,
      token_id: "NULL",
      address: "'192.0.2.1'",
      trace_id: "md5(i::text)",
      action: "'POST /networks'",
      subject: "'network/' || i",
      request_id: "NULL",
      changes: "'{}'::json",
      status: "200",
      reason: "NULL",
    },
    webhook_deliveries: {
      state: `(CASE WHEN ${isRare} THEN 'failed' ELSE 'delivered' END)::"DeliveryState"`,
      position: "i",
      seq: "i",
    },
    alerts: {
      from: `(SELECT * FROM alerts WHERE id = '${fixtures.alerts}') copied`,
      server_id: `CASE WHEN i % 2 = 0 THEN copied.server_id ELSE 1000000 + i % 1000 END`,
      environment_id: `CASE WHEN i % 2 = 0 THEN copied.environment_id ELSE 1000000 + i % 1000 END`,
    },
    servers: {
      from: `(SELECT * FROM servers WHERE id = ${fixtures.servers}) copied`,
      name: "'copy-' || i",
      provisioned_id: "'i-copy-' || i",
      environment_id: "CASE WHEN i % 50 = 1 THEN copied.environment_id ELSE 1000000 + i % 1000 END",
      deleted_at: MOSTLY_DELETED,
    },
    volumes: {
      from: `(SELECT * FROM volumes WHERE id = ${fixtures.volumes}) copied`,
      server_id: "1000000 + i",
      deleted_at: MOSTLY_DELETED,
    },
    snapshots: {
      from: `(SELECT * FROM snapshots WHERE id = ${fixtures.snapshots}) copied`,
      server_id: "1000000 + i % 1000",
      environment_id: "1000000 + i % 1000",
      request_id: "gen_random_uuid()",
      deleted_at: MOSTLY_DELETED,
    },
  };
}

/** Without triggers, which would write events, and without the checks of references. */
async function insert(db: Db, statement: string): Promise<void> {
  await db.$transaction(
    async (tx) => {
      await tx.$executeRaw`SET LOCAL session_replication_role = replica`;
      await tx.$executeRawUnsafe(statement);
    },
    { timeout: 900_000 },
  );
}
