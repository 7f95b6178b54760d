import { Prisma, type Tx } from "@gantry/db";
import { conflict } from "../http/errors.js";

/** What stands in something else, and so has to go before it: its table, and what it is called. */
const STANDING_IN = {
  network: {
    columnName: "network_id",
    held: [
      ["subnets", "subnet"],
      ["environments", "environment"],
      ["database_services", "database service"],
    ],
  },
  subnet: { columnName: "subnet_id", held: [["servers", "server"]] },
  "IAM role": { columnName: "iam_role_id", held: [["servers", "server"]] },
  provider: {
    columnName: "provider_id",
    held: [
      ["networks", "network"],
      ["iam_roles", "IAM role"],
      ["environments", "environment"],
      ["servers", "server"],
      ["volumes", "volume"],
      ["addresses", "address"],
      ["snapshots", "snapshot"],
      ["database_services", "database service"],
      ["database_server_snapshots", "database server snapshot"],
    ],
  },
} as const;

const MOST_NAMED = 20;

/**
 * Called with the holder's row locked, so that the answer holds until the transaction ends.
 *
 * @throws 409 that names what still stands in it
 */
export async function refuseWhileHolding(db: Tx, holder: keyof typeof STANDING_IN, id: string | number): Promise<void> {
  const { columnName, held } = STANDING_IN[holder];
  const parts = held.map(
    ([table, name]) => Prisma.sql`(SELECT ${name} AS name, id::text FROM ${Prisma.raw(table)}
      WHERE ${Prisma.raw(columnName)} = ${id} AND deleted_at IS NULL ORDER BY created_at LIMIT ${MOST_NAMED})`,
  );
  const found = await db.$queryRaw<{ name: string; id: string }[]>(Prisma.join(parts, " UNION ALL "));
  if (found.length === 0) return;
  const names = found.slice(0, MOST_NAMED).map((each) => `${each.name} ${each.id}`);
  throw conflict(`the ${holder} ${id} still holds: ${names.join(", ")}`);
}
