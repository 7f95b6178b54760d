import { Prisma, type Tx } from "@gantry/db";
import { conflict } from "../http/errors.js";

type Id = string | number;
type Dependent = [table: string, name: string, stands: (id: Id) => Prisma.Sql];

const by = (columnName: string) => (id: Id) => Prisma.sql`${Prisma.raw(columnName)} = ${id}`;
const networkOf = (subnetId: Id) => Prisma.sql`(SELECT network_id FROM subnets WHERE id = ${subnetId})`;
const environmentsOver = (subnetId: Id) =>
  Prisma.sql`(SELECT id FROM environments WHERE network_id = ${networkOf(subnetId)})`;

/** What stands in something else, and so has to go before it: its table, what it is called, and how it is found. */
const DEPENDENTS = {
  network: [
    ["subnets", "subnet", by("network_id")],
    ["environments", "environment", by("network_id")],
    ["database_services", "database service", by("network_id")],
  ],
  subnet: [
    ["servers", "server", by("subnet_id")],
    // These are spread over all subnets of their network.
    ["database_services", "database service", (id) => Prisma.sql`network_id = ${networkOf(id)}`],
    ["auto_scaling_groups", "auto scaling group", (id) => Prisma.sql`environment_id IN ${environmentsOver(id)}`],
  ],
  "IAM role": [["servers", "server", by("iam_role_id")]],
  provider: [
    ["networks", "network", by("provider_id")],
    ["iam_roles", "IAM role", by("provider_id")],
    ["environments", "environment", by("provider_id")],
    ["servers", "server", by("provider_id")],
    ["volumes", "volume", by("provider_id")],
    ["addresses", "address", by("provider_id")],
    ["snapshots", "snapshot", by("provider_id")],
    ["database_services", "database service", by("provider_id")],
    ["database_server_snapshots", "database server snapshot", by("provider_id")],
  ],
} satisfies Record<string, Dependent[]>;

const MAX_NAMED = 20;

/**
 * Called with the holder's row locked, so that the answer holds until the transaction ends.
 *
 * @throws 409 that names what still stands in it
 */
export async function assertNoDependents(db: Tx, holder: keyof typeof DEPENDENTS, id: Id): Promise<void> {
  const held: Dependent[] = DEPENDENTS[holder];
  const parts = held.map(
    ([table, name, stands]) => Prisma.sql`(SELECT ${name} AS name, id::text FROM ${Prisma.raw(table)}
      WHERE ${stands(id)} AND deleted_at IS NULL ORDER BY created_at LIMIT ${MAX_NAMED})`,
  );
  const found = await db.$queryRaw<{ name: string; id: string }[]>(Prisma.join(parts, " UNION ALL "));
  if (found.length === 0) return;
  const names = found.slice(0, MAX_NAMED).map((each) => `${each.name} ${each.id}`);
  throw conflict(`the ${holder} ${id} still holds: ${names.join(", ")}`);
}
