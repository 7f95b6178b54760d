import type { Provider, ProviderLocation, Tx } from "@gantry/db";
import { Prisma } from "@gantry/db";
import { conflict, invalid } from "../../http/errors.js";
import { fetchRows } from "../../http/rows.js";

/** @throws 409 where nothing new can be made in the provider */
export function requireUsable(provider: Provider): void {
  const which = `provider ${provider.id}`;
  if (provider.cancelledAt || provider.deletedAt) throw conflict(`${which} was cancelled`);
  if (!provider.provisionedId) throw conflict(`${which} is not provisioned yet`);
}

/** The provider's locations with one of these ids: regions and zones alike. */
export function locationsOf(db: Tx, providerId: number, locationIds: string[]): Promise<ProviderLocation[]> {
  return fetchRows(
    db,
    "providerLocation",
    Prisma.sql`SELECT * FROM provider_locations WHERE provider_id = ${providerId} AND location_id = ANY(${locationIds})`,
  );
}

/** @throws 422 where the provider has no such region, or may not use it */
export async function requireRegion(db: Tx, provider: Provider, id: string, path: string): Promise<ProviderLocation> {
  const region = (await locationsOf(db, provider.id, [id])).find(({ parentId }) => parentId === null);
  if (!region) throw invalid(path, `provider ${provider.id} has no region ${id}`);
  if (region.disabledAt) throw invalid(path, `the region ${id} is disabled`);
  return region;
}

/** @throws 422 where `zoneId` is not a zone of the region */
export async function requireZone(
  db: Tx,
  where: { providerId: number; region: string },
  zoneId: string,
  path: string,
): Promise<void> {
  const locations = await locationsOf(db, where.providerId, [where.region, zoneId]);
  const region = locations.find(({ locationId }) => locationId === where.region);
  const zone = locations.find(({ locationId, parentId }) => locationId === zoneId && parentId !== null);
  if (!zone || zone.parentId !== region?.id) throw invalid(path, `${zoneId} is not a zone of ${where.region}`);
  if (zone.disabledAt) throw invalid(path, `the zone ${zoneId} is disabled`);
}
