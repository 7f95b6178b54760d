import { Prisma, type Tx } from "@gantry/db";
import { conflict } from "../../http/errors/errors.js";
import { fetchRows } from "../../http/rows/rows.js";

const LIMITS = {
  servers: {
    limitField: "serverLimit",
    count: (db: Tx, { providerId, region }: Region) =>
      db.server.count({ where: { providerId, region, deletedAt: null } }),
  },
  addresses: {
    limitField: "addressLimit",
    count: (db: Tx, { providerId, region }: Region) =>
      db.address.count({ where: { providerId, location: region, deletedAt: null } }),
  },
} as const;

interface Region {
  providerId: number;
  region: string;
}

/**
 * Locks the region's row, so that concurrent creations in the region wait until the transaction ends.
 *
 * @throws 409 if the region is disabled or unknown, or its limit leaves no room for `added` more
 */
export async function requireCapacity(
  db: Tx,
  kind: keyof typeof LIMITS,
  { providerId, region }: Region,
  added: number,
): Promise<void> {
  const [location] = await fetchRows(
    db,
    "providerLocation",
    Prisma.sql`SELECT * FROM provider_locations
      WHERE provider_id = ${providerId} AND location_id = ${region} AND parent_id IS NULL FOR NO KEY UPDATE`,
  );
  if (!location) throw conflict(`provider ${providerId} has no region ${region}; discover its locations`);
  if (location.disabledAt) throw conflict(`the region ${region} is disabled`);
  const { limitField, count } = LIMITS[kind];
  const limit = location[limitField];
  if (limit === null) return;
  const used = await count(db, { providerId, region });
  if (used + added <= limit) return;
  throw conflict(
    `the limit of ${limit} ${kind} in ${region} would be exceeded: ${used} exist and ${added} more are needed`,
  );
}
