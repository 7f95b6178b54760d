import { type Environment, Prisma, type Tx } from "@gantry/db";
import { conflict } from "../../http/errors.js";
import { fetchRows } from "../../http/rows.js";

/**
 * Holds off whoever else makes servers in the region until the transaction ends.
 *
 * @throws 409 where the region is disabled or unknown, or its limit leaves no room for `count` more servers
 */
export async function requireRoomFor(
  db: Tx,
  { providerId, region }: Pick<Environment, "region"> & { providerId: number },
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
  if (location.serverLimit === null) return;
  const living = await db.server.count({ where: { providerId, region, deletedAt: null } });
  if (living + count <= location.serverLimit) return;
  throw conflict(
    `the limit of ${location.serverLimit} servers in ${region} leaves no room for ${count} more: there are ${living}`,
  );
}
