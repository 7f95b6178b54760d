import { Prisma, type Tx } from "@gantry/db";
import { SPECIFICATION_FLAVORS } from "@gantry/requests";

/** A flavor of servers, and the zones that offer it. */
export interface ComputeFlavor {
  name: string;
  /** The zones that offer it; null if the offers of no region have been read yet. */
  zones: string[] | null;
  vcpus: number | null;
  memoryMib: number | null;
  architecture: string;
  isBurstable: boolean;
  ebsOptimized: boolean;
  /** The time at which AWS named the zones. */
  readAt: Date | null;
}

/** The flavors that a provider offers, or one of its regions or zones; the smallest first. */
export async function listComputeFlavors(
  db: Tx,
  { providerId, locationId }: { providerId: number; locationId?: string },
): Promise<ComputeFlavor[]> {
  const inLocation =
    locationId === undefined ? Prisma.empty : Prisma.sql`AND (l.location_id = ${locationId} OR zone = ${locationId})`;
  const offered = await db.$queryRaw<ComputeFlavor[]>`
    SELECT offer.key AS name, array_agg(zone ORDER BY zone) AS zones, t.vcpus, t.memory_mib AS "memoryMib",
      coalesce(t.architecture, 'x86_64') AS architecture, coalesce(t.is_burstable, false) AS "isBurstable",
      coalesce(t.ebs_optimized, true) AS "ebsOptimized", min(o.read_at) AS "readAt"
    FROM offer_lists o JOIN provider_locations l ON l.id = o.id,
      jsonb_each(o.compute) offer LEFT JOIN instance_types t ON t.name = offer.key,
      jsonb_array_elements_text(offer.value) zone
    WHERE l.provider_id = ${providerId} ${inLocation}
    GROUP BY offer.key, t.name ORDER BY t.memory_mib, t.vcpus, offer.key`;
  return offered.length > 0 ? offered : SPECIFICATION_FLAVORS.map(specificationFlavor);
}

function specificationFlavor([name, vcpus, memoryGib]: (typeof SPECIFICATION_FLAVORS)[number]): ComputeFlavor {
  const ebsOptimized = /^[cmr]4\./.test(name);
  const facts = { vcpus, memoryMib: memoryGib * 1024, architecture: "x86_64", isBurstable: name.startsWith("t2.") };
  return { name, ...facts, ebsOptimized, zones: null, readAt: null };
}
