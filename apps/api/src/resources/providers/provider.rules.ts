import { Prisma, type Provider, type Tx } from "@gantry/db";
import type { Caller } from "../../http/caller.js";
import { conflict, invalid } from "../../http/errors.js";

/** @throws 409 where the provider was cancelled or is not provisioned */
export function requireUsable(provider: Provider): void {
  const name = `provider ${provider.id}`;
  if (provider.cancelledAt || provider.deletedAt) throw conflict(`${name} was cancelled`);
  if (!provider.provisionedId) throw conflict(`${name} is not provisioned yet`);
}

/**
 * The provider, which can be used in the region. One query, since every new network runs it.
 *
 * @throws 404, 403 or 409 for the provider, 422 where it has no such region or the region is disabled
 */
export async function findUsableProvider(
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

/**
 * The regions in which the provider can be used.
 *
 * @throws 409 where none is known
 */
export async function enabledRegions(db: Tx, providerId: number): Promise<string[]> {
  const regions = await db.providerLocation.findMany({
    where: { providerId, parentId: null, disabledAt: null },
    orderBy: { locationId: "asc" },
  });
  if (regions.length === 0) throw conflict(`provider ${providerId} has no enabled region; discover its locations`);
  return regions.map(({ locationId }) => locationId);
}

/** @throws 422 where `zone` is not an enabled zone of the region */
export async function requireZoneOfRegion(db: Tx, { providerId, region, zone }: Zone, path: string): Promise<void> {
  const found = await db.providerLocation.findFirst({
    where: { providerId, locationId: zone, parent: { locationId: region } },
  });
  if (!found) throw invalid(path, `${zone} is not a zone of ${region}`);
  if (found.disabledAt) throw invalid(path, `the zone ${zone} is disabled`);
}

/** A zone, by the names that AWS gives it and its region. */
export interface Zone {
  providerId: number;
  region: string;
  zone: string;
}

/** How many zones an error names. */
const MAX_NAMED_ZONES = 12;

/**
 * A zone of the provider; of `region` where it is given.
 *
 * @throws 422 where the provider has no such zone, or it or its region is disabled
 */
export async function findZone(
  db: Tx,
  { providerId, zone, region }: Omit<Zone, "region"> & Partial<Zone>,
  path: string,
): Promise<Zone> {
  const zones = await db.providerLocation.findMany({
    where: { providerId, parentId: { not: null }, ...(region && { parent: { locationId: region } }) },
    include: { parent: true },
    orderBy: { locationId: "asc" },
  });
  const found = zones.find(({ locationId }) => locationId === zone);
  if (!found?.parent) {
    const nearby = zones.filter(({ parent }) => parent && zone.startsWith(parent.locationId));
    const known = (nearby.length > 0 ? nearby : zones).map(({ locationId }) => locationId).slice(0, MAX_NAMED_ZONES);
    throw invalid(path, `provider ${providerId} has no zone ${zone}: known are ${known.join(", ")}`);
  }
  if (found.disabledAt || found.parent.disabledAt) throw invalid(path, `the zone ${zone} is disabled`);
  return { providerId, region: found.parent.locationId, zone };
}
