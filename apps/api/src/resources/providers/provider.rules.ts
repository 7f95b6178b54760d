import { Prisma, type Provider, type Tx } from "@gantry/db";
import type { Caller } from "../../http/auth/caller.js";
import { hasUnfinishedRequests, removalOf } from "../../http/conflicts/request-conflicts.js";
import { conflict, invalid } from "../../http/errors/errors.js";

/** @throws 409 if the provider was cancelled or is not provisioned */
export function requireUsable(provider: Provider): void {
  const name = `provider ${provider.id}`;
  const about = { model: "provider", id: provider.id } as const;
  if (provider.cancelledAt || provider.deletedAt) throw conflict(`${name} was cancelled`, { about });
  if (!provider.provisionedId) throw conflict(`${name} is not provisioned yet`, { about });
}

interface ProviderFacts {
  /** The regions that are enabled if the named one is unknown. */
  isEnabled: boolean | string[];
  removal: { id: string; type: string } | null;
}

/**
 * The provider, which can be used in the region and is not being cancelled. One query, since every new network runs it.
 *
 * @throws 404, 403 or 409 for the provider, 422 if it does not have the region or the region is disabled
 */
export async function findUsableProvider(
  caller: Caller,
  providerId: number,
  region: string,
  path: string,
): Promise<Provider> {
  // Reads the regions only if the named one is not among the known ones.
  const isEnabled = Prisma.sql`coalesce(
    (SELECT to_jsonb(disabled_at IS NULL) FROM provider_locations
      WHERE provider_id = providers.id AND location_id = ${region} AND parent_id IS NULL),
    (SELECT jsonb_agg(location_id ORDER BY location_id) FROM provider_locations
      WHERE provider_id = providers.id AND parent_id IS NULL AND disabled_at IS NULL), '[]')`;
  const extra = Prisma.sql`SELECT jsonb_build_object('isEnabled', ${isEnabled}, 'removal', ${removalOf("provider")})`;
  const provider = await caller.findWithExtra<ProviderFacts, "provider">("provider", providerId, extra);
  const { isEnabled: enabled, removal } = provider.extra;
  requireUsable(provider);
  if (removal) throw hasUnfinishedRequests({ type: "provider", id: provider.id }, [removal]);
  if (typeof enabled === "object")
    throw invalid(path, `provider ${provider.id} has no region ${region}; use one of ${enabled.join(", ")}`);
  if (!enabled) throw invalid(path, `the region ${region} is disabled`);
  return provider;
}

/**
 * The regions in which the provider can be used.
 *
 * @throws 409 if none is known
 */
export async function enabledRegions(db: Tx, providerId: number): Promise<string[]> {
  const regions = await db.providerLocation.findMany({
    where: { providerId, parentId: null, disabledAt: null },
    orderBy: { locationId: "asc" },
  });
  if (regions.length === 0) throw conflict(`provider ${providerId} has no enabled region; discover its locations`);
  return regions.map(({ locationId }) => locationId);
}

/** @throws 422 if `zone` is not an enabled zone of the region */
export async function requireZoneOfRegion(db: Tx, { providerId, region, zone }: Zone, path: string): Promise<void> {
  const zones = await db.providerLocation.findMany({
    where: { providerId, parent: { locationId: region } },
    orderBy: { locationId: "asc" },
  });
  const match = zones.find(({ locationId }) => locationId === zone);
  const enabled = zones.filter(({ disabledAt }) => !disabledAt);
  const names = enabled.map(({ locationId }) => locationId).join(", ");
  if (!match) throw invalid(path, `${zone} is not a zone of ${region}; use one of ${names}`);
  if (match.disabledAt) throw invalid(path, `the zone ${zone} is disabled`);
}

/** A zone, by the names that AWS uses for it and its region. */
export interface Zone {
  providerId: number;
  region: string;
  zone: string;
}

/** How many zones an error names. */
const MAX_NAMED_ZONES = 12;

/**
 * Returns a zone of the provider, in `region` if that is set.
 *
 * @throws 422 if the provider does not have the zone, or it or its region is disabled
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
  const match = zones.find(({ locationId }) => locationId === zone);
  if (!match?.parent) {
    const enabled = zones.filter(({ disabledAt, parent }) => !disabledAt && !parent?.disabledAt);
    const nearby = enabled.filter(({ parent }) => parent && zone.startsWith(parent.locationId));
    const names = (nearby.length > 0 ? nearby : enabled).map(({ locationId }) => locationId).slice(0, MAX_NAMED_ZONES);
    throw invalid(path, `provider ${providerId} has no zone ${zone}; use one of ${names.join(", ")}`);
  }
  if (match.disabledAt || match.parent.disabledAt) throw invalid(path, `the zone ${zone} is disabled`);
  return { providerId, region: match.parent.locationId, zone };
}
