import type { Tx } from "./client.js";
import { Prisma } from "./generated/client.js";

// Prisma's create data by table. A column is its field's name in snake_case; a test holds the schema to that.
interface Insertable {
  addresses: Prisma.AddressUncheckedCreateInput;
  auto_scaling_groups: Prisma.AutoScalingGroupUncheckedCreateInput;
  cloud_objects: Prisma.CloudObjectUncheckedCreateInput;
  database_server_snapshots: Prisma.DatabaseServerSnapshotUncheckedCreateInput;
  database_servers: Prisma.DatabaseServerUncheckedCreateInput;
  database_services: Prisma.DatabaseServiceUncheckedCreateInput;
  environments: Prisma.EnvironmentUncheckedCreateInput;
  firewall_rules: Prisma.FirewallRuleUncheckedCreateInput;
  firewalls: Prisma.FirewallUncheckedCreateInput;
  iam_roles: Prisma.IamRoleUncheckedCreateInput;
  idempotency_keys: Prisma.IdempotencyKeyUncheckedCreateInput;
  networks: Prisma.NetworkUncheckedCreateInput;
  providers: Prisma.ProviderUncheckedCreateInput;
  request_messages: Prisma.RequestMessageUncheckedCreateInput;
  requests: Prisma.RequestUncheckedCreateInput;
  servers: Prisma.ServerUncheckedCreateInput;
  snapshots: Prisma.SnapshotUncheckedCreateInput;
  subnets: Prisma.SubnetUncheckedCreateInput;
  volumes: Prisma.VolumeUncheckedCreateInput;
}

/** The tables whose ids are integers. */
type Numbered =
  | "addresses"
  | "environments"
  | "firewall_rules"
  | "firewalls"
  | "providers"
  | "servers"
  | "snapshots"
  | "volumes";

/**
 * An INSERT as a fragment, for statements that write several tables in one round trip. Several rows must name the same
 * fields. Fields that are undefined keep their column's default.
 */
export function insertInto<Table extends keyof Insertable>(
  table: Table,
  ...rows: [Insertable[Table], ...Insertable[Table][]]
): Prisma.Sql {
  const fields = Object.entries(rows[0]).flatMap(([field, value]) => (value === undefined ? [] : [field]));
  const columns = fields.map((field) => Prisma.raw(`"${columnOf(field)}"`));
  const values = rows.map((row) => {
    const byField = row as Record<string, unknown>;
    return Prisma.sql`(${Prisma.join(fields.map((field) => Prisma.sql`${asParameter(byField[field])}`))})`;
  });
  return Prisma.sql`INSERT INTO ${Prisma.raw(`"${table}"`)} (${Prisma.join(columns)}) VALUES ${Prisma.join(values)}`;
}

/** The column of a Prisma field: its name in snake_case. */
export function columnOf(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

// Text is sent as an untyped parameter, which PostgreSQL reads as the column's type; so is JSON.
function asParameter(value: unknown): unknown {
  const isPlain =
    typeof value === "object" && value !== null && !(value instanceof Date || value instanceof Uint8Array);
  return isPlain ? JSON.stringify(value) : value;
}

/** The next ids of a table whose ids are integers, for rows that other rows of the same statement must name. */
export async function nextIds(db: Tx, table: Numbered, count: number): Promise<number[]> {
  const rows = await db.$queryRaw<{ id: bigint }[]>`
    SELECT nextval(pg_get_serial_sequence(${table}, 'id')) AS id FROM generate_series(1, ${count})`;
  return rows.map(({ id }) => Number(id));
}

/** The next id of a table whose ids are integers. */
export async function nextId(db: Tx, table: Numbered): Promise<number> {
  const [id] = await nextIds(db, table, 1);
  return id as number;
}
