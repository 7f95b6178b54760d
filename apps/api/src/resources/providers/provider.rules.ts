import type { Provider, ProviderLocation, Tx } from "@gantry/db";
import { Prisma } from "@gantry/db";
import type { Caller } from "../../http/caller.js";
import { conflict, invalid } from "../../http/errors.js";
import { fetchRows } from "../../http/rows.js";

/** @throws 409 where nothing new can be made in the provider */
export function requireUsable(provider: Provider): void {
  const which = `provider ${provider.id}`;
  if (provider.cancelledAt || provider.deletedAt) throw conflict(`${which} was cancelled`);
  if (!provider.provisionedId) throw conflict(`${which} is not provisioned yet`);
}

/** The provider's locations with one of these ids: regions and zones alike. */
function locationsOf(db: Tx, providerId: number, locationIds: string[]): Promise<ProviderLocation[]> {
  return fetchRows(
    db,
    "providerLocation",
    Prisma.sql`SELECT * FROM provider_locations WHERE provider_id = ${providerId} AND location_id = ANY(${locationIds})`,
  );
}

/**
 * The provider, fit for something new in one of its regions. One query: this is on the way of every new network.
 *
 * @throws 404, 403 or 409 for the provider, 422 where it has no such region or may not use it
 */
export async function findUsableIn(
  caller: Caller,
  providerId: number,
  region: string,
  path: string,
): Promise<Provider> {
  const isEnabled = Prisma.sql`SELECT disabled_at IS NULL FROM provider_locations
    WHERE provider_id = providers.id AND location_id = ${region} AND parent_id IS NULL`;
  const provider = await caller.findWith<boolean | null, "provider">("provider", providerId, isEnabled);
  requireUsable(provider);
  if (provider.also === null) throw invalid(path, `provider ${provider.id} has no region ${region}`);
  if (!provider.also) throw invalid(path, `the region ${region} is disabled`);
  return provider;
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

/**
 * The region of a zone in which the provider may make something.
 *
 * @throws 422 where the provider has no such zone, or it or its region is disabled
 */
export async function findRegionOf(db: Tx, providerId: number, zoneId: string, path: string): Promise<string> {
  const zone = await db.providerLocation.findFirst({
    where: { providerId, locationId: zoneId, parentId: { not: null } },
    include: { parent: true },
  });
  if (!zone?.parent) throw invalid(path, `provider ${providerId} has no zone ${zoneId}`);
  if (zone.disabledAt || zone.parent.disabledAt) throw invalid(path, `the zone ${zoneId} is disabled`);
  return zone.parent.locationId;
}
