import { Prisma, type Tx } from "@gantry/db";
import { conflict } from "../../http/errors.js";
import { fetchRows } from "../../http/rows.js";

const LIMITED = {
  servers: {
    limitOf: "serverLimit",
    living: (db: Tx, { providerId, region }: Region) =>
      db.server.count({ where: { providerId, region, deletedAt: null } }),
  },
  addresses: {
    limitOf: "addressLimit",
    living: (db: Tx, { providerId, region }: Region) =>
      db.address.count({ where: { providerId, location: region, deletedAt: null } }),
  },
} as const;

interface Region {
  providerId: number;
  region: string;
}

/**
 * Holds off whoever else makes what is limited in the region until the transaction ends.
 *
 * @throws 409 where the region is disabled or unknown, or its limit leaves no room for `count` more
 */
export async function requireRoomFor(
  db: Tx,
  what: keyof typeof LIMITED,
  { providerId, region }: Region,
  count: number,
): Promise<void> {
  const [location] = await fetchRows(
    db,
    "providerLocation",
    Prisma.sql`SELECT * FROM provider_locations
      WHERE provider_id = ${providerId} AND location_id = ${region} AND parent_id IS NULL FOR NO KEY UPDATE`,
  );
  if (!location) throw conflict(`provider ${providerId} has no region ${region}; discover its locations`);
  if (location.disabledAt) throw conflict(`the region ${region} is disabled`);
  const limit = location[LIMITED[what].limitOf];
  if (limit === null) return;
  const living = await LIMITED[what].living(db, { providerId, region });
  if (living + count <= limit) return;
  throw conflict(`the limit of ${limit} ${what} in ${region} leaves no room for ${count} more: there are ${living}`);
}
